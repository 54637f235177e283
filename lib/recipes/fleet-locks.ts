import { DEFAULT_RETRY } from '../session/backoff.js';
import { tellAll, type LockLogger } from '../session/lock-logger.js';
import type { ZkConnection } from '../session/zk-connection.js';
import type { AcquireOptions } from './acquire-options.js';
import type { HoldTarget } from './any-hold.js';
import type { Attempt } from './attempt.js';
import { Handoff } from './handoff.js';
import { DEFAULT_HANDOFF_MAX } from './handoff-options.js';
import { Hold } from './hold.js';
import { writeHolderRecord } from './holder-record.js';
import { LockFamilies } from './lock-families.js';
import type { LockDefaults, LockKind } from './lock-manager.js';
import { queueForTurn } from './lock-queue.js';
import type { Grant, QueueTicket } from './queue-ticket.js';
import { WaitingRoom } from './waiting-room.js';
import { within } from './within.js';

/** The locks of this connection that hold in the whole fleet: each is granted by ZooKeeper, and known until it is given back. */
export class FleetLocks {
  private readonly holds = new Set<Hold>();
  private readonly families = new LockFamilies();
  private readonly handoff: Handoff;
  private readonly waitingRoom: WaitingRoom;

  constructor(
    private readonly connection: ZkConnection,
    private readonly instance: string,
    private readonly defaults: LockDefaults,
    private readonly logger: LockLogger,
  ) {
    this.handoff = new Handoff(connection);
    this.waitingRoom = new WaitingRoom(defaults.maxWaiting ?? Infinity);
  }

  /** Held locks, those that stay for their `minHoldMs` included. */
  get held(): number {
    return this.holds.size;
  }

  /** Nodes that are kept for `lingerMs` although nobody of this process holds the lock. */
  get lingering(): number {
    return this.handoff.idle;
  }

  /** Queues for one lock and holds it.
   * @throws QueueFailure or AttemptOver */
  async grant(target: HoldTarget, kind: LockKind, attempt: Attempt, options: AcquireOptions): Promise<Hold> {
    const since = new Date();
    const { entry } = kind;
    const { handoff = this.defaults.handoff, lingerMs = this.defaults.lingerMs ?? 0 } = options;
    const record = (lingers = false): Buffer =>
      writeHolderRecord(this.instance, { ...options, entry, since, lingers });
    const endUse = this.families.claim({ ...target, path: kind.home ?? target.path }, kind.family);
    const { retry = DEFAULT_RETRY } = this.defaults;
    const isShared = kind.sharing !== undefined && handoff !== false;
    try {
      const ticket = { ...kind, path: target.path, data: record(isShared && lingerMs > 0), retry };
      const grant = await this.waitingRoom.during(target.path, () =>
        isShared
          ? this.handoff.enter(ticket, attempt, { max: handoff?.max ?? DEFAULT_HANDOFF_MAX, lingerMs })
          : this.ownNode(ticket, attempt),
      );
      return this.hold(target, grant, record, options, endUse);
    } catch (error) {
      endUse();
      throw error;
    }
  }

  /** Resolves when no section of this process that lost the lock of this path is running any more. */
  async sectionsEnded(path: string, attempt: Attempt): Promise<void> {
    for (const hold of this.holds) if (hold.target.path === path) await attempt.race(hold.sectionEnd);
  }

  /** Resolves when all that is being given back is gone for certain. */
  async settled(): Promise<void> {
    await Promise.all([...this.holds].map(async (hold) => hold.going));
  }

  /** Gives up the nodes that nobody has. */
  async giveUpIdle(): Promise<void> {
    await this.handoff.giveUpIdle();
  }

  /** Gives back what is still held: it is lost to whoever has it. Waits for the confirmation at most `releaseWaitMs`. */
  async giveBackAll(): Promise<void> {
    const gone = [...this.holds].map(async (hold) => {
      hold.lose('shutdown');
      void hold.release();
      await hold.goneNow();
    });
    await within(this.defaults.releaseWaitMs, Promise.all([...gone, this.handoff.giveUpIdle()]), undefined);
  }

  private async ownNode(ticket: QueueTicket, attempt: Attempt): Promise<Grant> {
    const granted = await queueForTurn(this.connection, ticket, attempt);
    return { ...granted, number: 1, giveBack: () => granted.node.delete() };
  }

  private hold(
    target: HoldTarget,
    grant: Grant,
    record: () => Buffer,
    options: AcquireOptions,
    endUse: () => void,
  ): Hold {
    const hold = new Hold(target, grant, {
      data: record,
      releaseWaitMs: this.defaults.releaseWaitMs,
      minHoldMs: options.minHoldMs ?? 0,
      maxHoldMs: options.maxHoldMs,
      onGone: (gone) => {
        endUse();
        this.holds.delete(gone);
      },
      onReleaseRequested: (listeners, request) =>
        tellAll(listeners, (listener) => listener(request), this.logger),
      onLost: (_hold, error) => this.logger.error(error.message),
      onLongHold: ({ target: { key } }) =>
        this.logger.warn(
          `The lock "${key}" has been held for three quarters of its maxHoldMs (${options.maxHoldMs}).`,
        ),
      onSlowRelease: ({ target: { key } }) =>
        this.logger.warn(`The release of "${key}" is not confirmed yet; it goes on in the background.`),
    });
    this.holds.add(hold);
    return hold;
  }
}
