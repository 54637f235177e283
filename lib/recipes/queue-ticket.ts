import type { RetryPolicy } from '../session/backoff.js';
import type { LockMark } from './lock-node.js';
import type { OwnNode } from './own-node.js';
import type { QueueRule } from './queue-rules.js';

/** What somebody wants to queue for. */
export interface QueueTicket {
  /** The parent of the contenders' nodes. */
  readonly path: string;
  /** The mark of the node to make. */
  readonly mark: LockMark;
  /** The marks of all kinds of contender in this queue. */
  readonly marks: readonly LockMark[];
  readonly rule: QueueRule;
  readonly data: Buffer;
  /** A node whose data the rule depends on: read before each look at the queue, and watched while waiting. */
  readonly limit?: QueueLimit;
  /** Pauses between tries when the connection breaks again and again. */
  readonly retry: RetryPolicy;
}

export interface QueueLimit {
  readonly path: string;
  /** Told what the node holds; undefined when there is none. */
  readonly read: (data: Buffer | undefined) => void;
}

/** A node whose turn has come. */
export interface GrantedNode {
  readonly node: OwnNode;
  /** Base of the fencing token. */
  readonly zxid: number;
}

/** Where a waiter stood when it last looked. */
export interface QueuePlace {
  readonly position: number;
  readonly length: number;
  /** Full path of the first node; undefined when it is not known yet, or does not hold the lock. */
  readonly first: string | undefined;
}
