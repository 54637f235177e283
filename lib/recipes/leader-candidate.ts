import { oneOf, type OptionRule } from '../errors/check-options.js';
import { LockAbortedError } from '../errors/lock-aborted.error.js';
import { LockShutdownError } from '../errors/lock-shutdown.error.js';
import { Waiters } from '../session/cancellation.js';
import type { LockLogger } from '../session/lock-logger.js';
import { onAbort } from '../session/on-abort.js';
import type { ZkConnection } from '../session/zk-connection.js';
import type { AcquireOptions } from './acquire-options.js';
import { Attempt, AttemptOver } from './attempt.js';
import type { HeldLock } from './held-lock.js';
import { LeaderAnnouncer } from './leader-events.js';
import { Leadership } from './leadership.js';
import type { LockScope } from './lock-context.js';
import type { LockKind, LockManager } from './lock-manager.js';
import { QueueFailure } from './lock-queue.js';
import { publicError } from './public-error.js';
import type { LockTarget } from './queue-lock.js';
import type { QueueRule } from './queue-rules.js';

/**
 * What a suspended connection means to a leader. `keep`: it goes on until the lease deadline, before which nobody else
 * can lead. `step-down`: its term ends as soon as the break is noticed, and it queues again, behind the others.
 */
export type OnSuspended = 'keep' | 'step-down';

/** What `onSuspended` may be. */
export const ON_SUSPENDED: OptionRule = oneOf(...(['keep', 'step-down'] satisfies OnSuspended[]));

export interface LeaderElectionOptions extends Pick<AcquireOptions, 'metadata' | 'purpose'> {
  /** Default `keep`. The lease deadline and a lost session end leadership in any case. */
  onSuspended?: OnSuspended;
}

/** One stay at the head of the queue. */
export interface LeaderTerm {
  readonly leadership: Leadership;
  /** What the election hands out. */
  readonly lock: HeldLock;
  /** Ends the term because the candidate leaves. */
  readonly giveUp: () => void;
}

/** What both ways of taking part stand on: queueing, terms and their events, until the candidate leaves for good. */
export class LeaderCandidate {
  readonly path: string;
  readonly events: LeaderAnnouncer;
  readonly connection: ZkConnection;
  readonly logger: LockLogger;
  private readonly waiters = new Waiters();
  private readonly stop = new AbortController();
  private attempt: Attempt | undefined;
  /** When it last looked, somebody else was first. */
  private isBehind = false;
  private term: LeaderTerm | undefined;

  constructor(
    private readonly manager: LockManager,
    private readonly target: LockTarget,
    private readonly options: LeaderElectionOptions,
  ) {
    this.path = manager.pathOf(target.nodeName);
    this.connection = manager.connection;
    this.logger = manager.logger;
    this.events = new LeaderAnnouncer(this.logger);
  }

  /** Aborts when the candidate leaves for good. */
  get leaving(): AbortSignal {
    return this.stop.signal;
  }

  get hasLeft(): boolean {
    return this.stop.signal.aborted;
  }

  /** The lock of the leadership; undefined while somebody else leads. */
  current(): HeldLock | undefined {
    const lock = this.term?.lock;
    return lock?.isHeld() === true ? lock : undefined;
  }

  /** A section under the leadership, which keeps its node; undefined while somebody else leads. */
  enter(): LockScope | undefined {
    return this.current() === undefined ? undefined : this.term?.leadership.enter();
  }

  /**
   * Resolves once this candidate leads; rejects with the reason of the attempt's end, or with what keeps it from leading.
   * Who does not want to wait learns at once that somebody else leads.
   */
  async leads(attempt: Attempt): Promise<HeldLock> {
    for (;;) {
      if (this.hasLeft) throw this.leftError();
      const lock = this.current();
      if (lock !== undefined) return lock;
      if (attempt.immediate && this.isBehind) attempt.end('busy'); // the wait then rejects
      await this.waiters.wait(attempt);
    }
  }

  /** Tells those who wait for leadership why it cannot be had. */
  refuse(error: Error): void {
    this.waiters.rejectAll(error);
  }

  leave(): void {
    if (this.hasLeft) return;
    this.stop.abort();
    this.attempt?.end('aborted');
    this.refuse(this.leftError());
    if (this.term === undefined) return;
    this.manager.spare(this.term.leadership.ended); // what runs under it keeps it
    this.term.giveUp();
  }

  /** Queues until this candidate is the first, however long that takes.
   * @throws LockAbortedError when the signal aborts or the candidate leaves; LockShutdownError; LockConfigError, … */
  async campaign(kind: LockKind, signal?: AbortSignal): Promise<Leadership> {
    const { metadata, purpose } = this.options;
    const target = { key: this.target.text, path: this.path, owner: this.manager, mode: kind.mode };
    const attempt = (this.attempt = new Attempt(false, undefined, signal));
    const forget = onAbort(this.manager.shutdown.signal, () => attempt.end('shutdown'));
    this.isBehind = false;
    const rule: QueueRule = (queue, index) => {
      if (index > 0) this.noteBehind();
      return kind.rule(queue, index);
    };
    try {
      attempt.throwIfOver();
      // A leader in this process only would be none.
      const options = { metadata, purpose, whenUnreachable: 'fail' } as const;
      const hold = await this.manager.grant(target, { ...kind, rule }, attempt, options);
      if (!attempt.isOver && hold.isHeld()) {
        const leadership = new Leadership(hold);
        leadership.handOut();
        return leadership;
      }
      void hold.release();
      attempt.throwIfOver();
      throw hold.lossError ?? this.leftError();
    } catch (error) {
      const cause = error instanceof QueueFailure ? error.cause : error;
      if (!(cause instanceof AttemptOver)) throw publicError(cause, target.key);
      if (this.hasLeft) throw this.leftError();
      if (cause.end === 'shutdown') {
        throw new LockShutdownError(
          `The application is shutting down: nobody stands for the leadership of "${target.key}" any more.`,
          { key: target.key },
        );
      }
      throw new LockAbortedError(
        `The wait for the leadership of "${target.key}" was cancelled by its signal.`,
        { key: target.key, cause: signal?.reason as unknown },
      );
    } finally {
      forget();
      attempt.finish();
    }
  }

  /** One term, from its first event to its last; `section` is what happens between. */
  async serve<T>(term: LeaderTerm, section: () => Promise<T>): Promise<T> {
    const { leadership, lock } = term;
    const end = (): void => {
      if (this.term !== term) return;
      this.term = undefined;
      this.events.tell('notLeader', leadership.lossError);
    };
    const heed = (): void => {
      if (this.options.onSuspended !== 'step-down' || this.connection.state !== 'suspended') return;
      leadership.stepDown('lease-expired', 'the connection is suspended (onSuspended: step-down)');
    };
    const forget = this.connection.on('state', heed);
    this.term = term;
    this.events.tell('leader', lock);
    this.waiters.resolveAll();
    heed();
    if (this.hasLeft) term.giveUp();
    onAbort(leadership.signal, end);
    try {
      return await section();
    } finally {
      forget();
      end();
    }
  }

  private noteBehind(): void {
    this.isBehind = true;
    this.waiters.resolveAll(); // each looks for itself what that means to it
  }

  private leftError(): LockAbortedError {
    const { text: key } = this.target;
    return new LockAbortedError(`The candidate of the election "${key}" was closed.`, { key });
  }
}
