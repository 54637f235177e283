import { setTimeout as sleep } from 'node:timers/promises';
import { LockConfigError } from '../errors/lock-config.error.js';
import { isOutcomeUnknown, isZkOperationError, ZkCode } from '../errors/zk-operation.error.js';
import { Backoff, type RetryPolicy } from '../session/backoff.js';
import { MAX_WATCH_BYTES } from '../session/watch-registry.js';
import type { ZkStat } from '../session/zk-client.js';
import type { SessionMember, ZkSession } from '../session/zk-session.js';
import type { Attempt } from './attempt.js';
import { newProtection, parseLockNode, type LockMark } from './lock-node.js';
import { OwnNode } from './own-node.js';
import { readQueue, type QueueRule, type Turn } from './queue-rules.js';

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
  /** Pauses between tries when the connection breaks again and again. */
  readonly retry: RetryPolicy;
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
  /** Full path of the first node. */
  readonly first: string;
}

/** Somebody else removed the node of a waiter: queue again with a new one. */
export class OwnNodeRemoved extends Error {}

interface Listing {
  readonly children: string[];
  readonly stat: ZkStat;
  /** Number of the connection over which it was asked for. */
  readonly connection: number;
}

const EMPTY = Buffer.alloc(0);

/**
 * One contender's stay in the queue of one session: make a node, wait for its turn, leave. The algorithm is
 * ZooKeeper's lock recipe (https://zookeeper.apache.org/doc/current/recipes.html#sc_recipes_Locks) with Curator's
 * protection against lost answers.
 */
export class QueueEntry implements SessionMember {
  place: QueuePlace | undefined;
  private readonly protection = newProtection();
  private readonly backoff: Backoff;
  private node: OwnNode | undefined;
  private listing: Listing | undefined;
  /** The answer to a create was lost: a node of ours may exist of which nobody told us. */
  private uncertain = false;
  private enqueued: Promise<void> = Promise.resolve();
  private left: Promise<void> | undefined;
  private wake: () => void = () => undefined;

  constructor(
    private readonly session: ZkSession,
    private readonly ticket: QueueTicket,
    private readonly attempt: Attempt,
  ) {
    this.backoff = new Backoff(ticket.retry);
  }

  /** Resolves when the turn has come. On every other way out the node is deleted, in the background if need be. */
  async enter(): Promise<GrantedNode> {
    this.session.join(this);
    try {
      this.enqueued = this.enqueue();
      await this.attempt.race(this.enqueued);
      const granted = await this.waitForTurn();
      this.attempt.throwIfOver(); // granted and cancelled in one turn: cancelled
      this.session.leave(this);
      return granted;
    } catch (error) {
      void this.leave();
      throw error;
    }
  }

  /** Resolves when no node of this entry is left for certain. Never rejects; cannot be cancelled. */
  leave(): Promise<void> {
    this.left ??= this.cleanUp();
    return this.left;
  }

  restored(): void {
    this.wake();
  }

  ended(): void {
    this.wake();
  }

  private async cleanUp(): Promise<void> {
    this.session.leave(this);
    await this.enqueued.catch(() => undefined);
    await this.node?.delete();
    if (!this.uncertain) return;
    const forgotten = await this.findOwnAgain().catch(() => undefined);
    await forgotten?.delete();
  }

  /** Goes on when the attempt is over, until it is certain whether there is a node. */
  private async enqueue(): Promise<void> {
    const { path } = this.ticket;
    for (;;) {
      try {
        await this.createAndList();
        return;
      } catch (error) {
        if (isZkOperationError(error, ZkCode.noNode)) {
          this.session.parents.forget(path);
          await this.session.parents.make(path).catch(async (problem: unknown) => {
            if (!isOutcomeUnknown(problem)) throw problem;
            await this.session.connected();
          });
        } else if (isOutcomeUnknown(error)) {
          this.uncertain = true;
          await this.session.connected();
          if ((await this.findOwnAgain()) !== undefined) return;
          this.uncertain = false;
          await this.pause();
        } else {
          throw error;
        }
      }
      this.attempt.throwIfOver();
    }
  }

  /** One round trip: the requests of a session are answered in order, and a read sees the writes before it. */
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
    const prefix = `${ticket.path}/${this.protection}${ticket.mark}`;
    const creating = session.create(prefix, ticket.data, 'ephemeral-sequential');
    const listing = this.list().catch(() => undefined); // whoever needs it asks again
    this.node = new OwnNode(session, await creating);
    parents.remember(ticket.path);
    this.listing = await listing;
  }

  private async list(): Promise<Listing> {
    const connection = this.session.connectionNumber;
    return { ...(await this.session.getChildren(this.ticket.path)), connection };
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
    const children = await session.getChildren(ticket.path).then(
      (listing) => listing.children,
      (error: unknown) => {
        if (isZkOperationError(error, ZkCode.noNode)) return [];
        throw error;
      },
    );
    const name = children.find((child) => child.startsWith(this.protection) && parseLockNode(child));
    if (name === undefined) return undefined;
    const node = new OwnNode(session, `${ticket.path}/${name}`);
    if ((await node.look()) === undefined) return undefined;
    this.node = node;
    return node;
  }

  private async waitForTurn(): Promise<GrantedNode> {
    for (;;) {
      this.attempt.throwIfOver();
      try {
        const granted = await this.takeTurn();
        if (granted !== undefined) return granted;
      } catch (error) {
        if (!isOutcomeUnknown(error)) throw error;
        await this.session.connected(this.attempt); // rejects when the session is over
        await this.pause();
      }
    }
  }

  /** The first break costs no time; from the second on the tries are spaced. */
  private async pause(): Promise<void> {
    const again = this.backoff.hasFailed;
    const ms = this.backoff.nextMs();
    if (again) await this.attempt.race(sleep(ms, undefined, { ref: false }));
  }

  /** One look at the queue and, if somebody is before us, one wait. Undefined: look again. */
  private async takeTurn(): Promise<GrantedNode | undefined> {
    const { attempt, ticket, node } = this;
    if (node === undefined) throw new OwnNodeRemoved();
    const { children, stat, connection } = this.listing ?? (await attempt.race(this.list()));
    this.listing = undefined;
    const queue = readQueue(ticket.path, children, ticket.marks);
    const index = queue.findIndex(({ name }) => node.path === `${ticket.path}/${name}`);
    if (index === -1 || node.removed) throw new OwnNodeRemoved(); // absent is never "nobody is before me"
    const turn = ticket.rule(queue, index);
    this.place = { position: turn.position, length: queue.length, first: `${ticket.path}/${queue[0]?.name}` };
    if (turn.granted) {
      // Alone in the list, the parent's pzxid is at least our czxid and below that of whoever comes later.
      const zxid = node.zxid ?? (queue.length === 1 ? stat.pzxid : await attempt.race(node.look()));
      return zxid !== undefined && (await this.mayBeGranted(connection)) ? { node, zxid } : undefined;
    }
    if (attempt.immediate) attempt.end('busy');
    attempt.throwIfOver();
    return this.watchAndWait(node, turn, connection);
  }

  private async watchAndWait(
    node: OwnNode,
    turn: Turn,
    connection: number,
  ): Promise<GrantedNode | undefined> {
    const { session, attempt, ticket } = this;
    if (turn.watch === undefined) throw new Error(`The rule of ${ticket.path} names no node to watch.`);
    if (session.watches.armedBytes > MAX_WATCH_BYTES) {
      throw new LockConfigError(
        `Too many waits at once in this session: their watches take ${session.watches.armedBytes} bytes, ` +
          `allowed are ${MAX_WATCH_BYTES}, or ZooKeeper refuses to set them again after a reconnect.`,
      );
    }
    const before = `${ticket.path}/${turn.watch.name}`;
    const predecessor = { gone: false };
    const woken = new Promise<void>((resolve) => (this.wake = resolve));
    node.onEvent = () => this.wake();
    const unlisten = session.watches.listen(before, (event) => {
      predecessor.gone ||= event === 'deleted';
      this.wake();
    });
    try {
      const looks = [node.look(), session.get(before, true)] as const;
      looks[1].catch(() => undefined); // settled below, unless the first one fails
      const zxid = await attempt.race(looks[0]);
      try {
        await attempt.race(looks[1]);
      } catch (error) {
        if (isZkOperationError(error, ZkCode.noNode)) return undefined;
        throw error;
      }
      if (zxid === undefined) throw new OwnNodeRemoved();
      await attempt.race(woken);
      if (session.isOver) await session.connected(); // rejects
      if (node.removed) throw new OwnNodeRemoved();
      if (!predecessor.gone || !turn.deletionGrants) return undefined;
      return (await this.mayBeGranted(connection)) ? { node, zxid } : undefined;
    } finally {
      unlisten();
    }
  }

  /**
   * A grant needs a fresh lease, and what was seen must have been seen over the connection that still lasts: after a
   * reconnect events come in any order.
   */
  private async mayBeGranted(connection: number): Promise<boolean> {
    const { session, attempt } = this;
    if (!session.canGrant) {
      await session.connected(attempt);
      await attempt.race(session.sync());
    }
    return session.canGrant && session.connectionNumber === connection && this.node?.removed === false;
  }
}
