import { setTimeout as sleep } from 'node:timers/promises';
import { LockConfigError } from '../errors/lock-config.error.js';
import { isOutcomeUnknown, isZkOperationError, ZkCode } from '../errors/zk-operation.error.js';
import { Backoff } from '../session/backoff.js';
import { MAX_WATCH_BYTES } from '../session/watch-registry.js';
import type { SessionMember } from '../session/session-member.js';
import type { ZkSession } from '../session/zk-session.js';
import type { Attempt } from './attempt.js';
import { readHolderRecord } from './holder-record.js';
import type { LockNode } from './lock-node.js';
import type { OwnNode } from './own-node.js';
import { ProtectedCreate } from './protected-create.js';
import { placeIn, readQueue, semaphoreFolders, type Turn } from './queue-rules.js';
import { refuseSemaphoreInUse } from './semaphore-in-use.js';
import type { GrantedNode, QueueLimit, QueuePlace, QueueTicket } from './queue-ticket.js';

/** Somebody else removed the node of a waiter: queue again with a new one. */
export class OwnNodeRemoved extends Error {}

/**
 * One contender's stay in the queue of one session: make a node, wait for its turn, leave. The algorithm is
 * ZooKeeper's lock recipe (https://zookeeper.apache.org/doc/current/recipes.html#sc_recipes_Locks) with Curator's
 * protection against lost answers.
 */
export class QueueEntry implements SessionMember {
  readonly onlyWaits = true;
  place: QueuePlace | undefined;
  private ticks = 0;
  private readonly backoff: Backoff;
  private readonly creation: ProtectedCreate;
  private left: Promise<void> | undefined;
  private limitChanged = false;
  private wake: () => void = () => undefined;

  constructor(
    private readonly session: ZkSession,
    private readonly ticket: QueueTicket,
    private readonly attempt: Attempt,
    /** Told where this contender stands whenever it has looked and has to wait. */
    private readonly onPlace: (place: QueuePlace) => void = () => undefined,
  ) {
    this.backoff = new Backoff(ticket.retry);
    this.creation = new ProtectedCreate(session, ticket);
  }

  /** Resolves when the turn has come. On every other way out the node is deleted, in the background if need be. */
  async enter(): Promise<GrantedNode> {
    const { session, attempt, ticket } = this;
    session.join(this);
    const unlisten =
      ticket.kind.limit && session.watches.listen(ticket.kind.limit.path, () => this.limitEvent());
    try {
      const guard = { throwIfOver: () => attempt.throwIfOver(), pause: () => this.pause() };
      await attempt.race(this.creation.make(guard));
      const granted = await this.waitForTurn();
      attempt.throwIfOver(); // granted and cancelled in one turn: cancelled
      session.leave(this);
      return granted;
    } catch (error) {
      void this.leave();
      throw error;
    } finally {
      unlisten?.();
    }
  }

  /** Resolves when no node of this entry is left for certain. Never rejects; cannot be cancelled. */
  leave(): Promise<void> {
    this.session.leave(this);
    this.left ??= this.creation.undo();
    return this.left;
  }

  restored(): void {
    this.wake();
  }

  ended(): void {
    this.wake();
  }

  /** The own node of a wait that lasts is watched, too, from the second tick on; nobody ever waits for that. */
  tick(): void {
    const { node } = this.creation;
    this.ticks += 1;
    if (this.ticks > 1 && node !== undefined && !node.isWatched) node.look().catch(() => undefined);
  }

  private limitEvent(): void {
    this.limitChanged = true;
    this.wake();
  }

  private async waitForTurn(): Promise<GrantedNode> {
    for (;;) {
      this.attempt.throwIfOver();
      try {
        const granted = await this.takeTurn();
        if (granted !== undefined) return granted;
      } catch (error) {
        // Somebody removed the whole queue, and our node with it.
        if (isZkOperationError(error, ZkCode.noNode)) throw new OwnNodeRemoved();
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
    const { session, attempt, ticket, creation } = this;
    const { node, listing, known } = creation;
    if (node === undefined) throw new OwnNodeRemoved();
    creation.listing = creation.known = undefined; // from the next look on they are old
    if (known !== undefined && listing === undefined) return this.takeKnownTurn(node, known);
    this.limitChanged = false;
    if (ticket.kind.limit !== undefined) await attempt.race(this.readLimit(ticket.kind.limit));
    const { children, stat, connection } = listing ?? (await attempt.race(session.lists.list(ticket.path)));
    const queue = readQueue(ticket.path, children, ticket.kind.marks);
    if (semaphoreFolders(children).length > 0) {
      await attempt.race(refuseSemaphoreInUse(session, ticket, children));
    } else {
      creation.memory?.learn(queue, ticket.kind.marks, connection, stat.czxid);
    }
    const index = placeIn(queue, node.name);
    if (index === -1 || node.removed) throw new OwnNodeRemoved(); // absent is never "nobody is before me"
    const turn = ticket.kind.rule(queue, index);
    this.place = { position: turn.position, length: queue.length, first: `${ticket.path}/${queue[0]?.name}` };
    // Last in the list, the parent's pzxid is at least our czxid and below that of whoever comes later.
    if (index === queue.length - 1) node.zxid ??= stat.pzxid;
    if (turn.granted) {
      const zxid = node.zxid ?? (await attempt.race(node.read()));
      if (zxid === undefined) return undefined;
      if (!session.canGrant) await this.catchUp();
      return this.mayBeGranted(connection) ? { node, zxid } : undefined;
    }
    this.onPlace(this.place);
    if (attempt.immediate && !(turn.deletionGrants && (await attempt.race(this.lingers(turn))))) {
      attempt.end('busy');
    }
    attempt.throwIfOver();
    return this.watchAndWait(node, turn, connection, turn.watch === 'queue' ? queue : undefined);
  }

  /** The same with what was known before the own create; a wait for whoever is gone ends at once. */
  private async takeKnownTurn(node: OwnNode, queue: readonly LockNode[]): Promise<GrantedNode | undefined> {
    const { session, ticket, attempt } = this;
    const index = placeIn(queue, node.name);
    const own = queue[index];
    if (own === undefined || node.removed) return undefined;
    const turn = ticket.kind.rule(queue, index);
    this.place = { position: turn.position, length: queue.length, first: `${ticket.path}/${queue[0]?.name}` };
    const connection = session.connectionNumber;
    if (!turn.granted) {
      if (attempt.immediate || !hasUniqueName(turn.watch)) return undefined;
      this.onPlace(this.place);
      return this.watchAndWait(node, turn, connection);
    }
    const before = this.creation.memory?.grantsBefore(own);
    if (before === undefined) return undefined;
    node.zxid = before.zxid;
    node.grants = before.grants;
    if (!session.canGrant) await this.catchUp();
    return this.mayBeGranted(connection) ? { node, zxid: before.zxid } : undefined;
  }

  /** True when the one before may be kept by a process that does not need it: that one gives it up when it sees us. */
  private async lingers({ watch }: Turn): Promise<boolean> {
    if (watch === undefined || watch === 'queue') return false;
    try {
      const { data } = await this.session.get(`${this.ticket.path}/${watch.name}`);
      return readHolderRecord(data)?.lingers === true;
    } catch (error) {
      if (isZkOperationError(error, ZkCode.noNode)) return true; // gone: look again
      throw error;
    }
  }

  private async readLimit({ path, read }: QueueLimit): Promise<void> {
    do {
      try {
        read((await this.session.get(path, true)).data);
        return;
      } catch (error) {
        if (!isZkOperationError(error, ZkCode.noNode)) throw error;
      }
    } while (await this.session.watchExistence(path)); // a get of a missing node leaves no watch
    read(undefined);
  }

  /** @param queue where all of it is watched; elsewhere a long wait would keep it alive for nothing. */
  private async watchAndWait(
    node: OwnNode,
    turn: Turn,
    connection: number,
    queue?: readonly LockNode[],
  ): Promise<GrantedNode | undefined> {
    const { session, attempt, ticket } = this;
    if (session.watches.armedBytes > MAX_WATCH_BYTES) {
      throw new LockConfigError(
        `Too many waits at once in this session: their watches take ${session.watches.armedBytes} bytes, ` +
          `allowed are ${MAX_WATCH_BYTES}, or ZooKeeper refuses to set them again after a reconnect.`,
      );
    }
    const predecessor = { gone: false };
    /** Once nothing but the watched node stands in the way: an event alone grants, and one must tell of the own removal, too. */
    let ownLook: Promise<number | undefined> | undefined;
    const woken = new Promise<void>((resolve) => (this.wake = resolve));
    const forgetOwn = node.listen(() => this.wake());
    const watched = turn.watch === 'queue' ? ticket.path : `${ticket.path}/${turn.watch?.name}`;
    const unlisten = session.watches.listen(watched, (event) => {
      predecessor.gone ||= event === 'deleted';
      this.wake();
    });
    const unlistenFirst = this.whenNext(turn, () => {
      ownLook ??= node.look();
      ownLook.catch(() => undefined); // heard when the turn has come
    });
    try {
      if (turn.deletionGrants) ownLook = node.look();
      const base = ownLook ?? node.zxid ?? node.read();
      const watching = queue === undefined ? this.watchNode(watched) : this.watchQueue(queue);
      watching.catch(() => undefined); // settled below, unless the first one fails
      const zxid = typeof base === 'number' ? base : await attempt.race(base);
      if (!(await attempt.race(watching)) || this.limitChanged) return undefined;
      if (zxid === undefined) throw new OwnNodeRemoved();
      await attempt.race(woken);
      if (session.isOver) await session.connected(); // rejects
      if (node.removed) throw new OwnNodeRemoved();
      if (!predecessor.gone || ownLook === undefined) return undefined;
      if ((await attempt.race(ownLook)) === undefined) throw new OwnNodeRemoved();
      if (!session.canGrant) await this.catchUp();
      return node.isWatched && this.mayBeGranted(connection) ? { node, zxid } : undefined;
    } finally {
      unlisten();
      unlistenFirst?.();
      forgetOwn();
    }
  }

  /** Calls the listener when the node that is watched turns out to be the first. Readers share one list instead. */
  private whenNext({ watch, deletionGrants }: Turn, listener: () => void): (() => void) | undefined {
    if (watch === undefined || watch === 'queue' || deletionGrants) return undefined;
    if (this.ticket.kind.sharing !== 'in-turn') return undefined;
    return this.creation.memory?.whenFirst(watch.name, listener);
  }

  /** False when the node is gone already (a missing node leaves no watch), or is in use and nobody wants to wait for that. */
  private async watchNode(path: string): Promise<boolean> {
    try {
      const { data } = await this.session.get(path, true);
      return !this.attempt.immediate || readHolderRecord(data)?.lingers === true;
    } catch (error) {
      if (isZkOperationError(error, ZkCode.noNode)) return false;
      throw error;
    }
  }

  /** False when the queue is not what it was when the rule was asked. */
  private async watchQueue(queue: readonly LockNode[]): Promise<boolean> {
    const { children } = await this.session.getChildren(this.ticket.path, true);
    const now = readQueue(this.ticket.path, children, this.ticket.kind.marks);
    return now.length === queue.length && now.every(({ name }, at) => name === queue[at]?.name);
  }

  /**
   * A grant needs a fresh lease, and what was seen must have been seen over the connection that still lasts: after a
   * reconnect events come in any order.
   */
  private mayBeGranted(connection: number): boolean {
    const { session } = this;
    return (
      session.canGrant && session.connectionNumber === connection && this.creation.node?.removed === false
    );
  }

  /** Makes the lease fresh. */
  private async catchUp(): Promise<void> {
    await this.session.connected(this.attempt);
    await this.attempt.race(this.session.sync());
  }
}

/** Without anything before mark and number, another parent may have a node of the same name. */
function hasUniqueName(node: Turn['watch']): boolean {
  return typeof node === 'object' && !node.name.startsWith(node.mark);
}
