import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { LockShutdownError } from '../errors/lock-shutdown.error.js';
import type { LockLogger } from '../session/lock-logger.js';
import type { ZkConnection } from '../session/zk-connection.js';
import type { AcquireOptions } from './acquire-options.js';
import { checkAcquireOptions } from './acquire-options-check.js';
import { Attempt } from './attempt.js';
import { readContenders, type Contender } from './contender.js';
import { Hold, type HoldTarget } from './hold.js';
import { writeHolderRecord } from './holder-record.js';
import { QueueFailure, queueForTurn } from './lock-queue.js';
import type { LockMark } from './lock-node.js';
import type { QueueRule } from './queue-rules.js';
import { callerError } from './caller-error.js';

/** Defaults for every acquire, from the module's options. In ms. */
export interface LockDefaults {
  readonly waitMs: number;
  readonly attemptMs: number;
  readonly releaseWaitMs: number;
}

/** How one kind of lock queues. */
export interface LockKind {
  readonly mark: LockMark;
  readonly marks: readonly LockMark[];
  readonly rule: QueueRule;
}

export interface LockStats {
  /** Nodes held, those that linger for `minHoldMs` included. */
  readonly held: number;
  /** Calls that wait for a lock. */
  readonly waiting: number;
}

/** All locks of one connection: grants them, knows them, and gives them back at shutdown. */
export class LockManager {
  /** Tells this connection from others of the same process in the nodes' data. */
  readonly instance = randomUUID().slice(0, 8);
  private readonly attempts = new Set<Attempt>();
  private readonly holds = new Set<Hold>();
  private shuttingDown = false;
  private graceEndsAt = 0;
  private idle: () => void = () => undefined;

  constructor(
    private readonly connection: ZkConnection,
    private readonly defaults: LockDefaults,
    private readonly logger: LockLogger,
  ) {}

  /** The full path of a lock, from the name of its node under the root. */
  pathOf(nodeName: string): string {
    return `${this.connection.rootPath}/${nodeName}`;
  }

  stats(): LockStats {
    return { held: this.holds.size, waiting: this.attempts.size };
  }

  /** Runs one call that wants locks, under one deadline; the errors it throws are the caller's. */
  async attempt<T>(key: string, options: AcquireOptions, work: (attempt: Attempt) => Promise<T>): Promise<T> {
    checkAcquireOptions(options);
    if (this.shuttingDown) {
      throw new LockShutdownError(
        `The application is shutting down: the lock "${key}" is not acquired any more.`,
        { key },
      );
    }
    const attempt = new Attempt(
      options.waitMs ?? this.defaults.waitMs,
      options.attemptMs ?? this.defaults.attemptMs,
      options.signal,
    );
    this.attempts.add(attempt);
    try {
      return await work(attempt);
    } catch (error) {
      const failure = error instanceof QueueFailure ? error : new QueueFailure(error);
      throw await callerError(failure, key, attempt, {
        connection: this.connection,
        instance: this.instance,
        reason: options.signal?.reason as unknown,
      });
    } finally {
      attempt.finish();
      this.attempts.delete(attempt);
      if (this.attempts.size === 0) this.idle();
    }
  }

  /** Queues for one node and holds it.
   * @throws QueueFailure, to be thrown on inside `attempt`. */
  async grant(target: HoldTarget, kind: LockKind, attempt: Attempt, options: AcquireOptions): Promise<Hold> {
    const data = writeHolderRecord(this.instance, options);
    const granted = await queueForTurn(this.connection, { ...kind, path: target.path, data }, attempt);
    const hold = new Hold(target, granted, {
      releaseWaitMs: this.defaults.releaseWaitMs,
      minHoldMs: options.minHoldMs ?? 0,
      maxHoldMs: options.maxHoldMs,
      onGone: (gone) => this.holds.delete(gone),
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

  /** Who holds and who waits, in order. */
  async contenders(key: string, path: string, marks: readonly LockMark[]): Promise<Contender[]> {
    return this.attempt(key, {}, async (attempt) => {
      const session = await this.connection.ready(attempt);
      return attempt.race(readContenders(session, path, marks));
    });
  }

  /** From now on no acquire begins; those that wait get `graceMs`. Resolves when none waits any more. */
  async beginShutdown(graceMs: number): Promise<void> {
    this.shuttingDown = true;
    this.graceEndsAt = performance.now() + graceMs;
    if (this.attempts.size === 0) return;
    const idle = new Promise<void>((resolve) => (this.idle = resolve));
    const timer = setTimeout(() => {
      for (const attempt of this.attempts) attempt.end('shutdown');
    }, graceMs);
    await idle;
    clearTimeout(timer);
  }

  /**
   * Gives back what is still held and waits for the confirmation, at most `releaseWaitMs`. What lingers for `minHoldMs`
   * is left alone until the grace is over.
   */
  async finishShutdown(): Promise<void> {
    this.shuttingDown = true;
    for (const attempt of this.attempts) attempt.end('shutdown');
    await within(
      this.graceEndsAt - performance.now(),
      Promise.all([...this.holds].map(async (hold) => hold.going)),
    );
    const gone = [...this.holds].map(async (hold) => {
      hold.lose('shutdown');
      void hold.release();
      await hold.goneNow();
    });
    await within(this.defaults.releaseWaitMs, Promise.all(gone));
  }
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  await Promise.race([work, timeout]);
  clearTimeout(timer);
}
