import type { RetryPolicy } from '../session/backoff.js';
import type { LockMark } from './lock-node.js';
import type { OwnNode } from './own-node.js';
import type { QueueRule } from './queue-rules.js';

/** What somebody wants to queue for. */
export interface QueueTicket {
  /** The parent of the contenders' nodes. */
  readonly path: string;
  readonly kind: QueueKind;
  /** What the node shall hold; made when a node is made. */
  readonly data: () => Buffer;
  /** Pauses between tries when the connection breaks again and again. */
  readonly retry: RetryPolicy;
}

/** How one kind of contender queues. */
export interface QueueKind {
  /** The mark of the node to make. */
  readonly mark: LockMark;
  /** The marks of all kinds of contender in this queue. */
  readonly marks: readonly LockMark[];
  readonly rule: QueueRule;
  /** How callers of one process share a node: one after the other, or (readers) at the same time. Undefined: they do not. */
  readonly sharing?: 'in-turn' | 'readers';
  /** A node whose data the rule depends on: read before each look at the queue, and watched while waiting. */
  readonly limit?: QueueLimit;
}

export interface QueueLimit {
  readonly path: string;
  /** Told what the node holds; undefined when there is none. */
  readonly read: (data: Buffer | undefined) => void;
}

/** What a hold stands on: one grant of a node. */
export interface Grant extends GrantedNode {
  /** Which grant of the node it is: 1 for the first. */
  readonly number: number;
  /** Gives it back. Resolves when nothing is left of it for certain; undefined when nobody has to wait for that. Never rejects. */
  readonly giveBack: () => Promise<void> | undefined;
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
  /** Who holds it, when that is known without a request: another caller of this process. */
  readonly holder?: { readonly data: Buffer; readonly since: Date };
}
