import { isZkLockError, ZkLockError } from './zk-lock.error.js';

/** The caller gave up: the `signal` of the acquire was aborted. `cause` is the reason of the signal. */
export class LockAbortedError extends ZkLockError {
  readonly code = 'ZK_LOCK_ABORTED';
}

export function isLockAbortedError(error: unknown): error is LockAbortedError {
  return isZkLockError(error) && error.code === 'ZK_LOCK_ABORTED';
}
