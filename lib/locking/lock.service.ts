import { Injectable } from '@nestjs/common';
import type { AcquireOptions } from '../recipes/acquire-options.js';
import type { Contender } from '../recipes/contender.js';
import type { HeldLock } from '../recipes/held-lock.js';
import type { FallbackChange } from '../recipes/local-fallback.js';
import type { LockScope } from '../recipes/lock-context.js';
import { LockManager, type LockStats } from '../recipes/lock-manager.js';
import { MultiLock } from '../recipes/multi-lock.js';
import { Mutex } from '../recipes/mutex.js';
import { toLockKey, type LockKey } from './lock-key.js';

/** A key as callers give it: a plain text, or what `lockKey()` made. */
export type LockKeyInput = string | LockKey;

/**
 * Locks by hand. Every method takes a plain key or one made by `lockKey()`; all options are those of `AcquireOptions`.
 *
 * All of them reject with `LockTimeoutError` (busy until the deadline), `LockConnectionError` (ZooKeeper could not be
 * asked within the deadline), `LockAbortedError` (`signal`), `LockAccessError` (not allowed), `LockKeyError`,
 * `LockConfigError`, `LockSequenceError` or `LockShutdownError`.
 */
@Injectable()
export class LockService {
  constructor(private readonly manager: LockManager) {}

  /** Waits for the lock, first come first served over all processes. Give it back with `release()` or `await using`. */
  acquire(key: LockKeyInput, options?: AcquireOptions): Promise<HeldLock> {
    return this.mutexFor(key, (mutex) => mutex.acquire(options));
  }

  /** null when somebody else has it (by default at once: `waitMs` 0); every other failure throws. */
  tryAcquire(key: LockKeyInput, options?: AcquireOptions): Promise<HeldLock | null> {
    return this.mutexFor(key, (mutex) => mutex.tryAcquire(options));
  }

  /**
   * Runs `body` under the lock of one key or of several (all or nothing), and gives it back, whatever happens. Inside,
   * the same key can be entered again, and `currentLock()` finds the lock.
   * @throws LockLostError when the lock was lost while `body` ran; `cause` is the body's own error, if any.
   */
  async withLock<T>(
    keys: LockKeyInput | readonly LockKeyInput[],
    body: (lock: HeldLock) => T | PromiseLike<T>,
    options?: AcquireOptions,
  ): Promise<T> {
    return this.lockOf(keys).withLock(body, options);
  }

  /** The mutex of one key, for those who use it often. It holds nothing and needs no closing. */
  mutex(key: LockKeyInput): Mutex {
    return new Mutex(this.manager, toLockKey(key));
  }

  /** Several keys as one lock: all or nothing, one deadline, no deadlock whatever the order. */
  multiLock(keys: readonly LockKeyInput[]): MultiLock {
    return new MultiLock(this.manager, keys.map(toLockKey));
  }

  /** Who holds the lock and who waits for it, in order; empty when nobody does. */
  contenders(key: LockKeyInput): Promise<Contender[]> {
    return this.mutexFor(key, (mutex) => mutex.contenders());
  }

  /** @internal What the decorator stands on: the scope of one key or of several. */
  async enter(keys: readonly LockKeyInput[], options?: AcquireOptions): Promise<LockScope> {
    return this.lockOf(keys).enter(options);
  }

  /** How many locks this connection holds, and how many calls wait for one. */
  stats(): LockStats {
    return this.manager.stats();
  }

  /** Whether locks with `whenUnreachable: 'local'` are degraded now, and how many are held so. */
  degraded(): { active: boolean; held: number } {
    return this.manager.degraded();
  }

  /** Calls the listener when degraded operation begins or ends; the returned function takes it away. */
  on(_event: 'degraded', listener: (change: FallbackChange) => void): () => void {
    return this.manager.fallback.onChange(listener);
  }

  private lockOf(keys: LockKeyInput | readonly LockKeyInput[]): Mutex | MultiLock {
    const list = Array.isArray(keys) ? (keys as readonly LockKeyInput[]) : [keys as LockKeyInput];
    const [only, second] = list;
    return only !== undefined && second === undefined ? this.mutex(only) : this.multiLock(list);
  }

  /** A bad key rejects, like every other failure. */
  private async mutexFor<T>(key: LockKeyInput, use: (mutex: Mutex) => Promise<T>): Promise<T> {
    return use(this.mutex(key));
  }
}
