import { isZkLockError, ZkLockError } from './zk-lock.error.js';

/** ZooKeeper refused the request: the session may not create, read or delete under this path (NoAuth). */
export class LockAccessError extends ZkLockError {
  readonly code = 'ZK_LOCK_ACCESS';
}

export function isLockAccessError(error: unknown): error is LockAccessError {
  return isZkLockError(error) && error.code === 'ZK_LOCK_ACCESS';
}
