import type { Clock } from './clock.js';
import { ExpiryQueue, type Expiring } from './expiry-queue.js';

/** One session, for as long as it lives. */
export interface Session extends Expiring {
  readonly id: bigint;
  /** As negotiated when it was opened, in ms. */
  readonly timeoutMs: number;
}

/** Upper byte of session ids: a single server calls itself 1. */
const SERVER_ID = 1n;

/** Which sessions live, and when each expires unless it is touched. As ZooKeeper's SessionTrackerImpl. */
export class SessionTracker {
  private readonly byId = new Map<bigint, Session>();
  private readonly queue: ExpiryQueue<Session>;
  private nextId: bigint;
  private running = false;
  private cancelWait: (() => void) | undefined;

  /**
   * @param tickTime width of the buckets in ms.
   * @param expire is called with each session that has expired; it is no longer tracked then.
   */
  constructor(
    private readonly clock: Clock,
    tickTime: number,
    private readonly expire: (session: Session) => void,
  ) {
    this.queue = new ExpiryQueue(
      () => clock.elapsed(),
      tickTime,
      () => {
        if (this.running) this.wait();
      },
    );
    // One byte of server id, five of time, two for a counter. The wall clock, so that two servers of one machine differ.
    this.nextId = (SERVER_ID << 56n) | ((BigInt(Date.now()) & 0xff_ffff_ffffn) << 16n);
  }

  get size(): number {
    return this.byId.size;
  }

  /** A new session under the next id. */
  open(timeoutMs: number): Session {
    while (this.byId.has(this.nextId)) this.nextId += 1n;
    const session = this.track(this.nextId, timeoutMs);
    this.nextId += 1n;
    return session;
  }

  /** A session that is known already, from before a restart. Its whole timeout begins anew. */
  track(id: bigint, timeoutMs: number): Session {
    const session: Session = { id, timeoutMs, expiresAt: undefined };
    this.byId.set(id, session);
    this.queue.update(session, timeoutMs);
    return session;
  }

  find(id: bigint): Session | undefined {
    return this.byId.get(id);
  }

  /** Something was heard of the session: from now on it lives for another timeout. */
  touch(session: Session, timeoutMs: number): void {
    this.queue.update(session, timeoutMs);
  }

  forget(session: Session): void {
    this.byId.delete(session.id);
    this.queue.remove(session);
  }

  /** Begins to expire sessions: first those that were due while it was stopped. */
  start(): void {
    for (const session of this.queue.due()) {
      this.byId.delete(session.id);
      this.expire(session);
    }
    this.running = true;
    this.wait();
  }

  stop(): void {
    this.running = false;
    this.cancelWait?.();
  }

  /** The buckets by their time. */
  byExpiry(): ReturnType<ExpiryQueue<Session>['byTime']> {
    return this.queue.byTime();
  }

  private wait(): void {
    this.cancelWait?.();
    this.cancelWait = this.clock.at(this.queue.nextAt, () => {
      this.start();
    });
  }
}
