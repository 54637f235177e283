import { isZkLockError, ZkLockError, type ZkLockErrorOptions } from './zk-lock.error.js';

/** What is known about a wait that ended without the lock. */
export interface LockTimeoutDetails extends ZkLockErrorOptions {
  /** How long the caller waited, in ms. */
  waitedMs: number;
  /** Place in the queue when the wait ended: 1 is the holder's. */
  position?: number;
  /** Length of the queue, the holder included. */
  queueLength?: number;
  /** Who holds the lock, as far as could be learnt: `host pid 123 (purpose)`. */
  holder?: string;
}

/** The lock was busy until the deadline of the call (or at once, with `waitMs: 0`). */
export class LockTimeoutError extends ZkLockError {
  readonly code = 'ZK_LOCK_TIMEOUT';
  readonly waitedMs: number;
  readonly position: number | undefined;
  readonly queueLength: number | undefined;
  readonly holder: string | undefined;

  constructor(message: string, details: LockTimeoutDetails) {
    super(message, details);
    this.waitedMs = details.waitedMs;
    this.position = details.position;
    this.queueLength = details.queueLength;
    this.holder = details.holder;
  }
}

export function isLockTimeoutError(error: unknown): error is LockTimeoutError {
  return isZkLockError(error) && error.code === 'ZK_LOCK_TIMEOUT';
}
