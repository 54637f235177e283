import type { LockLostError } from '../errors/lock-lost.error.js';
import type { LockMode } from './held-lock.js';
import type { ReleaseRequest } from './release-request.js';

/** The locks of one connection. */
export interface HoldOwner {
  /** A path as users know it, from a full one: below the chroot. */
  publicPath(path: string): string;
}

/** What a hold is of. */
export interface HoldTarget {
  /** The key as the caller wrote it. */
  readonly key: string;
  /** The full path of the parent of the contenders' nodes. */
  readonly path: string;
  /** The full path that belongs to the lock as a whole, when it has several queues below it. */
  readonly home?: string;
  /** Whose lock it is: two connections can have locks of the same path on different ensembles. */
  readonly owner: HoldOwner;
  readonly mode: LockMode;
}

/** What handles and scopes need of a hold: one that ZooKeeper granted, or a degraded one of this process. */
export interface AnyHold {
  readonly target: HoldTarget;
  readonly acquiredAt: Date;
  /** True when it excludes only callers of this process. */
  readonly degraded: boolean;
  /** @throws LockConfigError when degraded. */
  readonly fencingToken: bigint;
  /** Aborts when the lock is lost. */
  readonly signal: AbortSignal;
  /** Why it was lost, if it was. */
  readonly lossError: LockLostError | undefined;
  /** Once false, always false. */
  isHeld(): boolean;
  /** Asks the ensemble; rejects when there was no answer and the lock is not lost yet. */
  verify(): Promise<boolean>;
  /** Calls the listener when somebody asks the holder to let go. */
  onReleaseRequested(listener: (request: ReleaseRequest) => void): () => void;
  /** The caller has it now: `minHoldMs` and `maxHoldMs` count from here, and a loss is told in the log. Called once. */
  handOut(): void;
  /** Never rejects. */
  release(): Promise<void>;
  /** Gives back at once, without waiting for anything, what nobody worked under. */
  abandon(): void;
}
