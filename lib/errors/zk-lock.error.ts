/** The stable, machine-readable name of every error of this library. */
export type ZkLockErrorCode =
  | 'ZK_LOCK_TIMEOUT'
  | 'ZK_LOCK_LOST'
  | 'ZK_LOCK_CONNECTION'
  | 'ZK_LOCK_ACCESS'
  | 'ZK_LOCK_ABORTED'
  | 'ZK_LOCK_NOT_HELD'
  | 'ZK_LOCK_UPGRADE'
  | 'ZK_LOCK_KEY'
  | 'ZK_LOCK_CONFIG'
  | 'ZK_LOCK_SEQUENCE'
  | 'ZK_LOCK_SHUTDOWN';

/** What every error may say about its origin. */
export interface ZkLockErrorOptions {
  /** The key of the lock, as the caller wrote it. */
  key?: string;
  /** ZooKeeper's own error number, for example -4 (connection loss) or -102 (no auth). */
  zkCode?: number;
  cause?: unknown;
}

// Symbol.for: two copies of the library (CommonJS and ESM) recognise each other's errors.
const BRAND: unique symbol = Symbol.for('nestjs-zk-lock.error');

/** Base of all errors of this library. Tell them apart by `code` or by the guards (`isLockTimeoutError`, …). */
export abstract class ZkLockError extends Error {
  abstract readonly code: ZkLockErrorCode;
  readonly key: string | undefined;
  readonly zkCode: number | undefined;
  /** @internal */
  readonly [BRAND] = true;

  constructor(message: string, options: ZkLockErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.key = options.key;
    this.zkCode = options.zkCode;
  }
}

/** True for every error of this library, whichever copy of it made the error. */
export function isZkLockError(error: unknown): error is ZkLockError {
  return typeof error === 'object' && error !== null && BRAND in error;
}
