import { LockLostError } from '../errors/lock-lost.error.js';
import { onAbort } from '../session/on-abort.js';
import type { HeldLock } from './held-lock.js';
import type { LockScope } from './lock-context.js';
import { promised } from './promised.js';

/**
 * Runs `body` in the scope and ends the scope, whatever happens; nobody waits for the server's answer to that. The result or error of the body wins, unless the lock
 * was lost meanwhile: then the outcome is unknown.
 * @throws LockLostError when the lock was lost; its `cause` is the body's own error, if any.
 */
export function runInScope<T>(scope: LockScope, body: (lock: HeldLock) => T | PromiseLike<T>): Promise<T> {
  const end = (own?: unknown): void => {
    try {
      throwIfLost(scope.lock, own);
    } finally {
      void scope.end();
    }
  };
  return promised(() => Promise.resolve(scope.run(() => body(scope.lock)))).then(
    (result) => {
      end();
      return result;
    },
    (error: unknown) => {
      end(error);
      throw error;
    },
  );
}

/** @throws LockLostError when the lock was lost, with the section's own error as `cause`. */
export function throwIfLost(lock: HeldLock, own?: unknown): void {
  if (lock.state !== 'lost') return;
  const lost = lock.signal.reason as LockLostError;
  if (own === undefined || own === lost) throw lost;
  throw new LockLostError(lost.message, { key: lost.key, reason: lost.reason, cause: own });
}

/** Settles like `running`, or rejects as soon as the lock is lost; `running` then goes on unheard. */
export function rejectAtLoss<T>({ signal }: HeldLock, running: Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const forget = onAbort(signal, () => reject(signal.reason as LockLostError));
    running.then(resolve, reject).finally(forget);
  });
}
