import { DEFAULT_RETRY, type RetryPolicy } from '../session/backoff.js';
import { tellAll, type LockLogger } from '../session/lock-logger.js';
import type { ZkConnection } from '../session/zk-connection.js';
import type { AcquireOptions } from './acquire-options.js';
import type { HoldTarget } from './any-hold.js';
import type { Attempt } from './attempt.js';
import { Handoff } from './handoff.js';
import { DEFAULT_HANDOFF_MAX } from './handoff-options.js';
import { Hold, type HoldObserver } from './hold.js';
import { checkMetadata, holderRecords } from './holder-record.js';
import { LockFamilies } from './lock-families.js';
import type { LockDefaults, LockKind } from './lock-manager.js';
import { queueForTurn } from './lock-queue.js';
import { promised } from './promised.js';
import type { Grant, QueueTicket } from './queue-ticket.js';
import { WaitingRoom } from './waiting-room.js';
import { within } from './within.js';

/** The locks of this connection that hold in the whole fleet: each is granted by ZooKeeper, and known until it is given back. */
export class FleetLocks {
  private readonly holds = new Set<Hold>();
  private readonly families = new LockFamilies();
  private readonly handoff: Handoff;
  private readonly writeRecord: ReturnType<typeof holderRecords>;
  private readonly waitingRoom: WaitingRoom;
  private readonly observer: HoldObserver;
  private readonly retry: RetryPolicy;
  private readonly max: number;

  constructor(
    private readonly connection: ZkConnection,
    instance: string,
    private readonly defaults: LockDefaults,
    logger: LockLogger,
  ) {
    this.observer = {
      releaseWaitMs: defaults.releaseWaitMs,
      gone: (hold) => this.holds.delete(hold),
      lost: (error) => logger.error(error.message),
      releaseRequested: (listeners, request) => tellAll(listeners, (listener) => listener(request), logger),
      slowRelease: ({ target: { key } }) =>
        logger.warn(`The release of "${key}" is not confirmed yet; it goes on in the background.`),
      longHold: ({ target: { key }, maxHoldMs }) =>
        logger.warn(`The lock "${key}" has been held for three quarters of its maxHoldMs (${maxHoldMs}).`),
    };
    this.writeRecord = holderRecords(instance);
    this.handoff = new Handoff(connection);
    this.max = (defaults.handoff === false ? undefined : defaults.handoff?.max) ?? DEFAULT_HANDOFF_MAX;
    this.retry = defaults.retry ?? DEFAULT_RETRY;
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

  /** Queues for one lock and holds it. Rejects with a QueueFailure or AttemptOver. */
  grant(target: HoldTarget, kind: LockKind, attempt: Attempt, options: AcquireOptions): Promise<Hold> {
    return promised(() => this.queueFor(target, kind, attempt, options));
  }

  private queueFor(
    target: HoldTarget,
    kind: LockKind,
    attempt: Attempt,
    options: AcquireOptions,
  ): Promise<Hold> {
    const { handoff = this.defaults.handoff, lingerMs = this.defaults.lingerMs ?? 0 } = options;
    const metadata = checkMetadata(options.metadata);
    const since = Date.now();
    const record = (lingers = false): Buffer =>
      this.writeRecord({
        entry: kind.entry,
        purpose: options.purpose,
        metadata,
        since,
        lingers,
      });
    const { path } = target;
    const home = target.home ?? path;
    const isShared = kind.sharing !== undefined && handoff !== false;
    const data = (): Buffer => record(isShared && lingerMs > 0);
    const ticket = { path, kind, data, retry: this.retry };
    const wait = (): Promise<Grant> =>
      !isShared
        ? this.ownNode(ticket, attempt)
        : this.handoff.enter(ticket, attempt, { max: handoff?.max ?? this.max, lingerMs });
    this.families.enter(home, kind.family, target.key);
    const onEnd = (): void => this.families.leave(home);
    // The leases of a semaphore are parts of a call that came through its door.
    const waiting = kind.mode === 'permit' ? wait() : this.waitingRoom.during(home, wait);
    return waiting.then(
      (grant) => {
        try {
          attempt.throwIfOver(); // granted and cancelled in one turn: cancelled
          const { minHoldMs = 0, maxHoldMs } = options;
          const hold = new Hold(target, grant, { minHoldMs, maxHoldMs, record, onEnd }, this.observer);
          this.holds.add(hold);
          return hold;
        } catch (error) {
          onEnd();
          void grant.giveBack();
          throw error;
        }
      },
      (error: unknown) => {
        onEnd();
        throw error;
      },
    );
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

  private ownNode(ticket: QueueTicket, attempt: Attempt): Promise<Grant> {
    return queueForTurn(this.connection, ticket, attempt).then(({ node, zxid }) => {
      node.grants += 1;
      return { node, zxid, number: node.grants, giveBack: () => node.delete() };
    });
  }
}
