import { MAX_GRANTS_PER_NODE } from './fencing-token.js';

/** How callers of one process pass a lock on among themselves. */
export interface HandoffOptions {
  /**
   * How many calls of this process may wait behind one node before it is granted, and how many it may serve once others
   * wait behind it. 1 to 4,095; default 100. While nobody else waits it serves up to 4,095.
   */
  readonly max?: number;
}

export const DEFAULT_HANDOFF_MAX = 100;
export const HANDOFF_ALLOWED = `false or { max: 1 to ${MAX_GRANTS_PER_NODE} }`;

export function isHandoff(value: unknown): value is HandoffOptions | false {
  if (value === false) return true;
  if (typeof value !== 'object' || value === null) return false;
  const { max = DEFAULT_HANDOFF_MAX, ...unknown } = value as Record<string, unknown>;
  const isCount = typeof max === 'number' && Number.isInteger(max) && max >= 1 && max <= MAX_GRANTS_PER_NODE;
  return isCount && Object.keys(unknown).length === 0;
}

/** How long a node serves. */
export interface SharingLimits {
  /** Calls that it may serve once others wait behind it. */
  readonly max: number;
  /** How long it is kept when nobody of this process wants it. In ms. */
  readonly lingerMs: number;
}
