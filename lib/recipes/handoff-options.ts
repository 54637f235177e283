/** How callers of one process pass a lock on among themselves. */
export interface HandoffOptions {
  /**
   * How many calls of this process one node may serve once others wait behind it. 1 to 4,095; default 100. While
   * nobody else waits it serves up to 4,095.
   */
  readonly max?: number;
}

export const DEFAULT_HANDOFF_MAX = 100;
