import type { Share } from './history.js';

/** A key, and what operations want of it: each share as often as it stands here. */
export interface ChaosKey {
  name: string;
  shares: readonly Share[];
}

const PERMITS = 3;
const read: Share = { mode: 'read' };
const write: Share = { mode: 'write' };
const permits = (count: number): Share => ({ mode: 'permit', permits: count, limit: PERMITS });

export function mutex(name: string): ChaosKey {
  return { name, shares: [{ mode: 'exclusive' }] };
}

/** What the clients of a run use. The last one is used seldom: its parent is reaped between two uses. */
export const KEYS: readonly ChaosKey[] = [
  mutex('account'),
  mutex('invoice'),
  mutex('order'),
  { name: 'catalog', shares: [read, read, write] },
  { name: 'pool', shares: [permits(1), permits(1), permits(1), permits(2)] },
  mutex('report'),
];

/** The nodes under which contenders of the key queue. */
export function queuesOf({ name, shares }: ChaosKey): string[] {
  const path = `/locks/${name}`;
  return shares.some(({ mode }) => mode === 'permit') ? [`${path}/locks`, `${path}/leases`] : [path];
}
