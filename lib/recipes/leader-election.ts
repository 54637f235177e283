import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { checkOptions, oneOf, type OptionRules } from '../errors/check-options.js';
import { isLockAbortedError } from '../errors/lock-aborted.error.js';
import { LockConfigError } from '../errors/lock-config.error.js';
import { isLockLostError } from '../errors/lock-lost.error.js';
import { isLockShutdownError } from '../errors/lock-shutdown.error.js';
import { shown } from '../errors/shown.js';
import { Backoff, DEFAULT_RETRY } from '../session/backoff.js';
import { onAbort } from '../session/on-abort.js';
import type { AcquireOptions } from './acquire-options.js';
import { ACQUIRE_RULES } from './acquire-options-check.js';
import type { Contender } from './contender.js';
import type { HeldLock } from './held-lock.js';
import { LeaderCandidate, ON_SUSPENDED, type LeaderElectionOptions } from './leader-candidate.js';
import type { LeaderEvents } from './leader-events.js';
import type { Leadership } from './leadership.js';
import { currentScope, enclosingScope, HoldScope, type LockScope } from './lock-context.js';
import { LockHandle } from './lock-handle.js';
import type { LockKind, LockManager } from './lock-manager.js';
import { notYetLeader } from './not-yet-leader.js';
import type { LockTarget } from './queue-lock.js';
import { exclusive } from './queue-rules.js';
import { runInScope } from './run-in-scope.js';

/** On the nodes of Curator's LeaderLatch. */
const LATCH: LockKind = {
  family: 'leader latch',
  mode: 'leader',
  mark: 'latch-',
  marks: ['latch-'],
  rule: exclusive,
};
/** On the nodes of Curator's LeaderSelector, which are a mutex's. */
const SELECTOR: LockKind = { ...LATCH, family: 'mutex', mark: 'lock-', marks: ['lock-'] };

const { waitMs, signal, metadata, purpose } = ACQUIRE_RULES;
const OPTIONS: OptionRules<LeaderElectionOptions> = { onSuspended: ON_SUSPENDED, metadata, purpose };
const RUN_OPTIONS: OptionRules<LeaderRunOptions> = { requeue: oneOf(true, false), signal };
const WAIT_OPTIONS: OptionRules<LeaderWaitOptions> = { waitMs, signal };

export type LeaderWaitOptions = Pick<AcquireOptions, 'waitMs' | 'signal'>;

export interface LeaderRunOptions {
  /** Takes part again after each end of `fn` and each loss, until the signal aborts or the election is closed. Default false. */
  requeue?: boolean;
  /** Ends the wait; while `fn` runs it ends leadership: the signal of the lock aborts. Default: none. */
  signal?: AbortSignal;
}

/**
 * One candidate in the election of a key, in one of two ways. `start()`: takes part until `close()`, again after each
 * loss (a latch). `run(fn)`: leads for as long as `fn` runs (a selector). The two ways have different nodes and do not
 * exclude each other: all candidates of a key go the same way.
 */
export class LeaderElection implements AsyncDisposable {
  private readonly candidate: LeaderCandidate;
  private inUse = false;
  private standing: Promise<void> | undefined;

  /** @throws LockConfigError for an option that is not allowed. */
  constructor(
    private readonly manager: LockManager,
    private readonly target: LockTarget,
    options: LeaderElectionOptions = {},
  ) {
    checkOptions(options, OPTIONS);
    this.candidate = new LeaderCandidate(manager, target, options);
  }

  get key(): string {
    return this.target.text;
  }

  /** The parent of the candidates' nodes. */
  get path(): string {
    return this.manager.publicPath(this.candidate.path);
  }

  /**
   * Takes part until `close()` or the end of the application. What keeps it from that (access denied, the key used as
   * another kind of lock) is logged, and it tries again.
   * @throws LockConfigError when it takes part already, or was closed.
   */
  start(): void {
    this.use();
    this.standing = this.stand();
  }

  /**
   * Waits for leadership, however long that takes, runs `fn` as the leader, and gives leadership up. Inside,
   * `currentLock()` is the lock. With `requeue` it does so again and again: an error of `fn` ends that, a loss does not.
   * @throws LockConfigError (also when it is called inside the lock of its own key), LockAccessError, LockShutdownError; without `requeue` also LockLostError when leadership was
   * lost while `fn` ran, and LockAbortedError when the signal aborted or the election was closed before.
   */
  run<T>(
    fn: (lock: HeldLock) => T | PromiseLike<T>,
    options?: LeaderRunOptions & { requeue?: false },
  ): Promise<T>;
  run(fn: (lock: HeldLock) => unknown, options: LeaderRunOptions): Promise<void>;
  async run<T>(
    fn: (lock: HeldLock) => T | PromiseLike<T>,
    options: LeaderRunOptions = {},
  ): Promise<T | undefined> {
    if (typeof fn !== 'function') {
      throw new LockConfigError(`run(fn, options): fn is ${shown(fn)}. Expected a function.`, {
        key: this.key,
      });
    }
    checkOptions(options, RUN_OPTIONS);
    if (enclosingScope(this.candidate.path, this.manager) !== undefined) throw waitsForItself(this.key);
    const { requeue = false, signal } = options;
    this.use();
    const isOver = (): boolean => this.candidate.hasLeft || signal?.aborted === true;
    try {
      for (;;) {
        try {
          const result = await this.lead(await this.candidate.campaign(SELECTOR, signal), fn, signal);
          if (!requeue) return result;
        } catch (error) {
          if (!requeue) throw error;
          if (isShutdown(error) || (isOver() && isLockAbortedError(error))) return undefined;
          if (!isLockLostError(error)) throw error;
          if (error.cause !== undefined) {
            const why = inspect(error.cause);
            this.candidate.logger.warn(`What ran as the leader of "${this.key}" failed at the loss: ${why}`);
          }
        }
        if (isOver()) return undefined;
      }
    } finally {
      this.inUse = false;
    }
  }

  /** Compares clocks with the lease deadline, as `HeldLock.isHeld()` does. */
  isLeader(): boolean {
    return this.current() !== undefined;
  }

  /**
   * The lock of the leadership, with its signal and fencing token; undefined while somebody else leads. Its `release()`
   * gives leadership to the next one: who was started then takes part again, at the end of the queue.
   */
  current(): HeldLock | undefined {
    return this.candidate.current();
  }

  /** Who leads, as ZooKeeper has it; undefined when nobody takes part. */
  async leader(): Promise<Contender | undefined> {
    return (await this.participants())[0];
  }

  /** All that take part, the leader first. */
  async participants(): Promise<Contender[]> {
    return this.manager.contenders(this.key, this.candidate.path);
  }

  /** Calls the listener at every change; the returned function takes it away. */
  on<E extends keyof LeaderEvents>(event: E, listener: (about: LeaderEvents[E]) => void): () => void {
    return this.candidate.events.on(event, listener);
  }

  /**
   * Resolves to the lock once this candidate leads. `waitMs` is that of any acquire; its end does not end the candidacy.
   * @throws LockTimeoutError, LockConnectionError (not connected at the deadline), LockAbortedError (also when closed),
   * LockShutdownError; and what keeps the candidate from taking part.
   */
  async waitForLeadership(options: LeaderWaitOptions = {}): Promise<HeldLock> {
    checkOptions(options, WAIT_OPTIONS);
    const { key, candidate } = this;
    return this.manager.attempt(key, options, async (attempt) => {
      try {
        return await candidate.leads(attempt);
      } catch (error) {
        if (attempt.ending !== 'deadline' && attempt.ending !== 'busy') throw error;
        const { state } = candidate.connection;
        const { inUse: takesPart } = this;
        const participants = (): Promise<Contender[]> => this.participants();
        throw await notYetLeader({ key, waitedMs: attempt.waitedMs, state, takesPart, participants });
      }
    });
  }

  /**
   * Leaves the election for good. Leadership goes to the next one at once; while something still runs under it (`fn`,
   * whose lock's signal aborts, or `@LeaderOnly` methods), as soon as that has ended, which is not waited for (at the
   * application's shutdown: for the rest of `shutdownGraceMs`).
   */
  async close(): Promise<void> {
    this.candidate.leave();
    await this.standing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** @internal A section that runs under the leadership and keeps its node; undefined while somebody else leads. */
  enter(): LockScope | undefined {
    return this.candidate.enter();
  }

  private use(): void {
    const { hasLeft } = this.candidate;
    if (this.inUse || hasLeft) {
      throw new LockConfigError(
        `This candidate of the election "${this.key}" ${hasLeft ? 'was closed' : 'takes part already'}. ` +
          'Each call of leaderElection() makes a new one.',
        { key: this.key },
      );
    }
    this.inUse = true;
  }

  /** The latch: one term after the other. */
  private async stand(): Promise<void> {
    const { candidate } = this;
    const backoff = new Backoff(DEFAULT_RETRY);
    while (!candidate.hasLeft) {
      try {
        await this.latch(await candidate.campaign(LATCH));
        backoff.succeeded();
      } catch (error) {
        if (isShutdown(error)) {
          candidate.refuse(error as Error);
          candidate.leave();
        } else if (!isLockLostError(error) && !isLockAbortedError(error)) {
          await this.pauseAfter(error as Error, backoff);
        }
      }
    }
  }

  /** Leads until the leadership is lost or given up. */
  private async latch(leadership: Leadership): Promise<void> {
    let leave: () => void = () => undefined;
    const over = new Promise<void>((resolve) => (leave = resolve));
    let ended: () => void = () => undefined;
    const end = new Promise<void>((resolve) => (ended = resolve));
    const lock = new LockHandle(leadership, () => {
      leave();
      return end;
    });
    onAbort(leadership.signal, leave);
    await this.candidate.serve({ leadership, lock, giveUp: () => void lock.release() }, () => over);
    await leadership.release();
    ended();
    if (leadership.lossError !== undefined) throw leadership.lossError;
  }

  private async lead<T>(
    leadership: Leadership,
    fn: (lock: HeldLock) => T | PromiseLike<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const giveUp = (): void => leadership.stepDown('shutdown', 'its candidate left the election');
    const forget = signal && onAbort(signal, giveUp);
    try {
      return await runInScope(new HoldScope(leadership, currentScope()), (lock) =>
        this.candidate.serve({ leadership, lock, giveUp }, async () => fn(lock)),
      );
    } finally {
      forget?.();
    }
  }

  /** Told once, not at every try. */
  private async pauseAfter(error: Error, backoff: Backoff): Promise<void> {
    const { leaving, logger } = this.candidate;
    if (!backoff.hasFailed) {
      logger.error(`No part can be taken in the election "${this.key}", trying on: ${error.message}`);
    }
    this.candidate.refuse(error);
    await sleep(backoff.nextMs(), undefined, { ref: false, signal: leaving }).catch(() => undefined);
  }
}

/** A selector's nodes are a mutex's. */
function waitsForItself(key: string): LockConfigError {
  return new LockConfigError(
    `run() of the election "${key}" was called by what holds the lock of this key: it would wait for itself for ever.`,
    { key },
  );
}

/** The application ends, or the candidate leaves. */
function isShutdown(error: unknown): boolean {
  return isLockShutdownError(error) || (isLockLostError(error) && error.reason === 'shutdown');
}
