import type { HeldLock } from './held-lock.js';

/** One entry into a held lock: `withLock` and decorated methods run their body in it. */
export interface LockScope {
  readonly lock: HeldLock;
  /** Runs `body` in the async context of this hold, so that `currentLock()` and reentrant entries see it. */
  run<T>(body: () => T): T;
  /** Leaves the scope; the node goes when the last live entry has left. Never rejects. */
  end(): Promise<void>;
}

/** The innermost lock held by the running `withLock` body or decorated method; with a key, the innermost of that key. */
export function currentLock(_key?: string): HeldLock {
  throw new Error('being built');
}
