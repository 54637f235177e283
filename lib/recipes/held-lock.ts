import type { ReleaseRequest } from './release-request.js';

/** How a lock is held: a mutex is `exclusive`; the others belong to read/write locks, semaphores and leadership. */
export type LockMode = 'exclusive' | 'read' | 'write' | 'permit' | 'leader';

/** `held` → `released` (by its owner) or `lost` (see `LockLossReason`). A lock never comes back from either. */
export type LockState = 'held' | 'released' | 'lost';

/** A lock that this process holds. Whoever has this object owns the lock: it may be released from anywhere. */
export interface HeldLock extends AsyncDisposable {
  /** The key as the caller wrote it; several keys are joined by `, `. */
  readonly key: string;
  /** The node of this lock, under which its contenders queue, below the chroot: `contenders({ path })` lists them. */
  readonly path: string;
  readonly mode: LockMode;
  /**
   * Strictly greater than the token of every earlier exclusive grant of this lock, by any process (the tokens of read
   * locks and permits identify the grant, they do not order it). Store it with what the
   * lock protects and refuse smaller ones. A signed 64-bit integer: never turn it into a `number`.
   * A lock of several keys has one token per key: reading this throws a `LockConfigError`, use `fencingTokens`.
   */
  readonly fencingToken: bigint;
  /** The fencing token of each key, by the key as the caller wrote it. */
  readonly fencingTokens: ReadonlyMap<string, bigint>;
  readonly acquiredAt: Date;
  /**
   * True when ZooKeeper was unreachable and `whenUnreachable: 'local'` was asked for: the lock excludes only callers of
   * this process, has no fencing token (reading it throws), and `assertHeld()` throws.
   */
  readonly degraded: boolean;
  readonly state: LockState;
  /** Aborts when the lock is lost, with the `LockLostError` as reason. A normal release does not abort it. */
  readonly signal: AbortSignal;
  /**
   * True while no other process can have been granted the lock. Compares clocks with the lease deadline, so it is
   * right even in the first statement after a long pause of the process. Once false, it stays false. A degraded lock
   * knows of this process only.
   */
  isHeld(): boolean;
  /** Throws `LockLostError` when the lock was lost, `LockNotHeldError` when it was released or is degraded. */
  assertHeld(): void;
  /** Asks the ensemble (a `sync`, then the own node). False also marks the lock as lost.
   * @throws LockConnectionError when no answer could be had. */
  verify(): Promise<boolean>;
  /**
   * Calls the listener when somebody asks the holder to let go (`requestRelease`, or Curator's Revoker). Whether to
   * release is the holder's decision. It is heard of at the latest a sixth of the session timeout later. The returned
   * function takes the listener away.
   */
  on(event: 'release-requested', listener: (request: ReleaseRequest) => void): () => void;
  /**
   * Gives the lock back and waits until ZooKeeper confirmed it, at most `releaseWaitMs`; after that the node is
   * deleted in the background. May be called any number of times, also after a loss. Never rejects.
   */
  release(): Promise<void>;
}
