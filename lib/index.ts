export { ZkLockModule } from './zk-lock.module.js';
export type {
  ZkLockAclEntry,
  ZkLockAuth,
  ZkLockModuleExtras,
  ZkLockModuleOptions,
} from './zk-lock.options.js';
export type { ZkLockModuleAsyncOptions, ZkLockOptionsFactory } from './zk-lock.async-options.js';
export { InjectLockService, InjectZkConnection } from './zk-lock.decorators.js';
export { getLockServiceToken, getZkConnectionToken } from './zk-lock.tokens.js';

export { DistributedLock } from './locking/distributed-lock.decorator.js';
export { DistributedLockInterceptor } from './locking/distributed-lock.interceptor.js';
export type {
  DistributedLockOptions,
  LockFallback,
  LockKeyFunction,
  LockKeySource,
  LockKeySources,
} from './locking/distributed-lock.options.js';
export type { KeyEntry } from './locking/key-entry.js';
export type { LockableMethod, LockableResult } from './locking/lock-verdict.js';
export { LeaderOnly, type LeaderOnlyOptions } from './locking/leader-only.decorator.js';
export { LockExceptionFilter } from './locking/lock-exception.filter.js';
export {
  LockHandler,
  type HandlerKeySource,
  type LockHandlerOptions,
} from './locking/lock-handler.decorator.js';
export type { LockRequest } from './locking/handler-request.js';
export {
  LockService,
  type KeyWithMode,
  type LockOptions,
  type MultiLockPart,
  type ReadWriteMode,
  type StripesOption,
} from './locking/lock.service.js';
export type { LockKeyInput, LockPath } from './locking/lock-target.js';
export { lockKey, LockKey } from './locking/lock-key.js';

export type { AcquireOptions } from './recipes/acquire-options.js';
export type { Contender } from './recipes/contender.js';
export type { HeldLock, LockMode, LockState } from './recipes/held-lock.js';
export type { LeaderElectionOptions, OnSuspended } from './recipes/leader-candidate.js';
export type { LeaderElection, LeaderRunOptions, LeaderWaitOptions } from './recipes/leader-election.js';
export type { LeaderEvents } from './recipes/leader-events.js';
export { currentLock } from './recipes/lock-context.js';
export type { FallbackChange, WhenUnreachable } from './recipes/local-fallback.js';
export type { LockStats } from './recipes/lock-manager.js';
export type { MultiLock } from './recipes/multi-lock.js';
export type { Mutex } from './recipes/mutex.js';
export type { QueueLock } from './recipes/queue-lock.js';
export type { ReadWriteLock } from './recipes/read-write-lock.js';
export type { ReleaseRequest } from './recipes/release-request.js';
export type { PermitOptions, Semaphore } from './recipes/semaphore.js';
export type { SharedCount } from './recipes/shared-count.js';

export type { RetryPolicy } from './session/backoff.js';
export {
  ZkConnection,
  type ConnectionChange,
  type ConnectionInfo,
  type ConnectionListener,
  type ConnectionState,
} from './session/zk-connection.js';

export { isZkLockError, ZkLockError, type ZkLockErrorCode } from './errors/zk-lock.error.js';
export { isLockAbortedError, LockAbortedError } from './errors/lock-aborted.error.js';
export { isLockAccessError, LockAccessError } from './errors/lock-access.error.js';
export { isLockConfigError, LockConfigError } from './errors/lock-config.error.js';
export { isLockConnectionError, LockConnectionError } from './errors/lock-connection.error.js';
export { isLockKeyError, LockKeyError } from './errors/lock-key.error.js';
export { isLockLostError, LockLostError, type LockLossReason } from './errors/lock-lost.error.js';
export { isLockNotHeldError, LockNotHeldError } from './errors/lock-not-held.error.js';
export { isLockSequenceError, LockSequenceError } from './errors/lock-sequence.error.js';
export { isLockShutdownError, LockShutdownError } from './errors/lock-shutdown.error.js';
export { isLockTimeoutError, LockTimeoutError } from './errors/lock-timeout.error.js';
export { isLockUpgradeError, LockUpgradeError } from './errors/lock-upgrade.error.js';
