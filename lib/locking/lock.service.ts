import type { AcquireOptions } from '../recipes/acquire-options.js';
import type { Contender } from '../recipes/contender.js';
import type { HeldLock } from '../recipes/held-lock.js';
import type { LockScope } from '../recipes/lock-context.js';
import type { LockKey } from './lock-key.js';

/** INTERFACE FIXED, BODY BEING BUILT. Manual use of locks. */
export declare class LockService {
  acquire(key: string | LockKey, options?: AcquireOptions): Promise<HeldLock>;
  /** null when busy (by default at once: `waitMs` 0); every other failure throws. */
  tryAcquire(key: string | LockKey, options?: AcquireOptions): Promise<HeldLock | null>;
  withLock<T>(
    keys: string | LockKey | readonly (string | LockKey)[],
    body: (lock: HeldLock) => T | PromiseLike<T>,
    options?: AcquireOptions,
  ): Promise<T>;
  contenders(key: string | LockKey): Promise<Contender[]>;
  /** @internal What `withLock` and the decorator stand on: one or several keys, all or nothing. */
  enter(keys: readonly (string | LockKey)[], options?: AcquireOptions): Promise<LockScope>;
  /** Numbers for health and metrics. */
  stats(): { held: number; waiting: number };
}
