import { isZkLockError, ZkLockError } from './zk-lock.error.js';

/** An option is out of its range, or one key is used as two kinds of lock. */
export class LockConfigError extends ZkLockError {
  readonly code = 'ZK_LOCK_CONFIG';
}

export function isLockConfigError(error: unknown): error is LockConfigError {
  return isZkLockError(error) && error.code === 'ZK_LOCK_CONFIG';
}
