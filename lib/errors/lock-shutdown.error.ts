import { isZkLockError, ZkLockError } from './zk-lock.error.js';

/** The application is shutting down: no new lock is given. */
export class LockShutdownError extends ZkLockError {
  readonly code = 'ZK_LOCK_SHUTDOWN';
}

export function isLockShutdownError(error: unknown): error is LockShutdownError {
  return isZkLockError(error) && error.code === 'ZK_LOCK_SHUTDOWN';
}
