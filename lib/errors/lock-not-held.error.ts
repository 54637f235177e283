import { isZkLockError, ZkLockError } from './zk-lock.error.js';

/** The lock was released by its owner, so this can no longer be asked of it. */
export class LockNotHeldError extends ZkLockError {
  readonly code = 'ZK_LOCK_NOT_HELD';
}

export function isLockNotHeldError(error: unknown): error is LockNotHeldError {
  return isZkLockError(error) && error.code === 'ZK_LOCK_NOT_HELD';
}
