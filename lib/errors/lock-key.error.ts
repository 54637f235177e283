import { isZkLockError, ZkLockError } from './zk-lock.error.js';

/** The key of a lock, or a value in it, is unusable: empty, too long, undefined, not a primitive. */
export class LockKeyError extends ZkLockError {
  readonly code = 'ZK_LOCK_KEY';
}

export function isLockKeyError(error: unknown): error is LockKeyError {
  return isZkLockError(error) && error.code === 'ZK_LOCK_KEY';
}
