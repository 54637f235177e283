import { isZkLockError, ZkLockError, type ZkLockErrorOptions } from './zk-lock.error.js';

/**
 * Why a lock was lost: the lease deadline passed without an answer of the ensemble, the session expired or
 * was given up, somebody else removed the lock's node, it was held for longer than `maxHoldMs`, or the application shut
 * down before it was released.
 */
export type LockLossReason = 'lease-expired' | 'session-lost' | 'node-removed' | 'max-hold' | 'shutdown';

export interface LockLostDetails extends ZkLockErrorOptions {
  reason: LockLossReason;
}

/**
 * The lock was lost while it was believed held. For a call that ran under it this means: the outcome is *unknown*,
 * not undone. `cause` holds the error of the method itself, if it threw one.
 */
export class LockLostError extends ZkLockError {
  readonly code = 'ZK_LOCK_LOST';
  readonly reason: LockLossReason;

  constructor(message: string, details: LockLostDetails) {
    super(message, details);
    this.reason = details.reason;
  }
}

export function isLockLostError(error: unknown): error is LockLostError {
  return isZkLockError(error) && error.code === 'ZK_LOCK_LOST';
}
