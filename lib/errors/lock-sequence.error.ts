import { isZkLockError, ZkLockError } from './zk-lock.error.js';

/** The sequence counter of a lock node is (nearly) used up, so the order of its contenders cannot be trusted: no lock is granted. */
export class LockSequenceError extends ZkLockError {
  readonly code = 'ZK_LOCK_SEQUENCE';
}

export function isLockSequenceError(error: unknown): error is LockSequenceError {
  return isZkLockError(error) && error.code === 'ZK_LOCK_SEQUENCE';
}
