import { isOutcomeUnknown, isZkOperationError, ZkCode } from '../errors/zk-operation.error.js';
import type { Listing } from '../session/shared-lists.js';
import type { ZkSession } from '../session/zk-session.js';
import { childrenOf } from './contender.js';
import { knownQueue, type KnownQueue } from './known-queue.js';
import { newProtection, parseLockNode, type LockNode } from './lock-node.js';
import { OwnNode } from './own-node.js';
import type { QueueTicket } from './queue-ticket.js';

const EMPTY = Buffer.alloc(0);

/** How the maker of a node decides whether it should go on. */
export interface CreateGuard {
  /** Throws when the node is not wanted any more. */
  throwIfOver(): void;
  /** Waits before another try. */
  pause(): Promise<void>;
}

/**
 * Makes one ephemeral sequential node, and knows in the end whether there is one, whatever became of the answers: the
 * node carries a GUID by which it is found again (Curator's "protection").
 */
export class ProtectedCreate {
  /** The node, once it is known. */
  node: OwnNode | undefined;
  /** The queue as it was right after the create, if that was answered. */
  listing: Listing | undefined;
  /** The queue at the create as it was known before, when nobody came in between. */
  known: readonly LockNode[] | undefined;
  /** What is remembered of queues that callers share. */
  readonly memory: KnownQueue | undefined;
  private readonly protection = newProtection();
  /** The answer to a create was lost: a node of ours may exist of which nobody told us. */
  private uncertain = false;
  private made: Promise<void> = Promise.resolve();

  constructor(
    private readonly session: ZkSession,
    private readonly ticket: QueueTicket,
  ) {
    this.memory = ticket.kind.sharing && knownQueue(session, ticket.path);
  }

  /** Goes on when the node is not wanted any more, until it is certain whether there is one. */
  make(guard: CreateGuard): Promise<void> {
    this.made = this.makeOrFind(guard);
    return this.made;
  }

  /** Resolves when no node is left for certain. Never rejects. */
  async undo(): Promise<void> {
    await this.made.catch(() => undefined);
    await this.node?.delete();
    if (!this.uncertain) return;
    const forgotten = await this.findOwnAgain().catch(() => undefined);
    await forgotten?.delete();
  }

  private async makeOrFind(guard: CreateGuard): Promise<void> {
    const { path } = this.ticket;
    for (;;) {
      try {
        await this.createAndList();
        return;
      } catch (error) {
        if (isZkOperationError(error, ZkCode.noNode)) {
          this.session.parents.forget(path);
          await this.session.parents.make(path).catch(async (problem: unknown) => {
            if (isZkOperationError(problem, ZkCode.noNode)) return; // somebody removes what we make: once more
            if (!isOutcomeUnknown(problem)) throw problem;
            await this.session.connected();
          });
          await guard.pause();
        } else if (isOutcomeUnknown(error)) {
          this.uncertain = true;
          await this.session.connected();
          if ((await this.findOwnAgain()) !== undefined) return;
          this.uncertain = false;
          await guard.pause();
        } else {
          throw error;
        }
      }
      guard.throwIfOver();
    }
  }

  /**
   * One round trip, in which the queue is asked for, too, unless it is known most likely: the requests of a session
   * are answered in order, and a read sees the writes before it.
   */
  private async createAndList(): Promise<void> {
    const { session, ticket } = this;
    const { parents } = session;
    if (!parents.isKnown(ticket.path)) {
      if (parents.canBePipelined) {
        // What this answers matters only if the create fails: NoNode makes the parents properly.
        session.create(ticket.path, EMPTY, 'container').catch(() => undefined);
      } else {
        await parents.make(ticket.path);
      }
    }
    const prefix = `${ticket.path}/${this.protection}${ticket.kind.mark}`;
    const creating = session.create(prefix, ticket.data(), 'ephemeral-sequential');
    const listing = this.memory?.isExpected === true ? undefined : this.list();
    const path = await creating;
    this.node = new OwnNode(session, path, this.memory);
    const { name } = this.node;
    const { mark, marks } = ticket.kind;
    this.known = this.memory?.join({ name, mark, sequence: Number(path.slice(prefix.length)) }, marks);
    parents.remember(ticket.path);
    if (listing !== undefined) this.listing = await listing;
  }

  private list(): Promise<Listing | undefined> {
    this.memory?.prepare();
    return this.session.lists.list(this.ticket.path).catch(() => undefined); // whoever needs it asks again
  }

  private async findOwnAgain(): Promise<OwnNode | undefined> {
    for (;;) {
      try {
        return await this.findOwn();
      } catch (error) {
        if (!isOutcomeUnknown(error)) throw error;
        await this.session.connected(); // rejects when the session is over
      }
    }
  }

  /** Looks for a node with our GUID, owned by this session, after catching up with the leader. */
  private async findOwn(): Promise<OwnNode | undefined> {
    const { session, ticket } = this;
    await session.sync();
    const children = await childrenOf(session, ticket.path);
    const name = children.find((child) => child.startsWith(this.protection) && parseLockNode(child));
    if (name === undefined) return undefined;
    const node = new OwnNode(session, `${ticket.path}/${name}`);
    try {
      if ((await node.look()) !== undefined) return (this.node = node);
    } finally {
      if (this.node !== node) node.forget();
    }
    return undefined;
  }
}
