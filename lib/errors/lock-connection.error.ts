import { isZkLockError, ZkLockError } from './zk-lock.error.js';

/** ZooKeeper could not be reached within the deadline of the call. Nothing is known about who holds the lock. */
export class LockConnectionError extends ZkLockError {
  readonly code = 'ZK_LOCK_CONNECTION';
}

export function isLockConnectionError(error: unknown): error is LockConnectionError {
  return isZkLockError(error) && error.code === 'ZK_LOCK_CONNECTION';
}
