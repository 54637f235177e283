import { refuseNoObject } from '../errors/check-options.js';
import { LockConfigError } from '../errors/lock-config.error.js';
import { isLockTimeoutError } from '../errors/lock-timeout.error.js';
import { shown } from '../errors/shown.js';
import type { AcquireOptions } from './acquire-options.js';
import type { HeldLock } from './held-lock.js';
import type { LockScope } from './lock-context.js';
import { runInScope } from './run-in-scope.js';

/** What every kind of lock offers. It holds nothing by itself: make as many as you like. */
export abstract class LockRecipe<Options extends AcquireOptions = AcquireOptions> {
  /**
   * Waits for the lock, first come first served over all processes. Not reentrant: see `withLock`.
   * @throws LockTimeoutError, LockConnectionError, LockAbortedError, LockAccessError, LockShutdownError, …
   */
  abstract acquire(options?: Options): Promise<HeldLock>;

  /** @internal What `withLock` and the decorator stand on. */
  abstract enter(options?: Options): Promise<LockScope>;

  /** null when somebody else has it (by default at once: `waitMs` 0); every other failure throws. */
  async tryAcquire(options?: Options): Promise<HeldLock | null> {
    refuseNoObject(options);
    try {
      return await this.acquire({ waitMs: 0, ...options } as Options);
    } catch (error) {
      if (isLockTimeoutError(error)) return null;
      throw error;
    }
  }

  /**
   * Runs `body` under the lock and gives the lock back, whatever happens. Inside, the same lock can be entered again,
   * and `currentLock()` finds it.
   * @throws LockLostError when the lock was lost while `body` ran; `cause` is the body's own error, if any.
   */
  async withLock<T>(body: (lock: HeldLock) => T | PromiseLike<T>, options?: Options): Promise<T> {
    if (typeof body !== 'function') {
      throw new LockConfigError(
        `withLock() was given ${shown(body)} for the section; it must be a function.`,
      );
    }
    refuseNoObject(options);
    return this.run(body, options);
  }

  /** @internal The same, of checked arguments. */
  run<T>(body: (lock: HeldLock) => T | PromiseLike<T>, options?: Options): Promise<T> {
    // No async function: on a hot key a few promises more are half of what a hand-over costs.
    return this.enter(options).then((scope) => runInScope(scope, body));
  }
}
