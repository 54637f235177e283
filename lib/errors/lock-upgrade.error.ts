import { isZkLockError, ZkLockError } from './zk-lock.error.js';

/** A holder of the read lock asked for the write lock of the same key: it would wait for itself for ever. */
export class LockUpgradeError extends ZkLockError {
  readonly code = 'ZK_LOCK_UPGRADE';
}

export function isLockUpgradeError(error: unknown): error is LockUpgradeError {
  return isZkLockError(error) && error.code === 'ZK_LOCK_UPGRADE';
}
