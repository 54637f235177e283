import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { LockShutdownError } from '../errors/lock-shutdown.error.js';
import type { RetryPolicy } from '../session/backoff.js';
import { unfailing, type LockLogger } from '../session/lock-logger.js';
import type { ZkConnection } from '../session/zk-connection.js';
import type { ZkSession } from '../session/zk-session.js';
import type { AcquireOptions } from './acquire-options.js';
import { checkAcquireOptions } from './acquire-options-check.js';
import { ask } from './ask.js';
import { Attempt } from './attempt.js';
import { readContenders, type Contender } from './contender.js';
import type { AnyHold, HoldTarget } from './any-hold.js';
import type { Hold } from './hold.js';
import { FleetLocks } from './fleet-locks.js';
import type { HandoffOptions } from './handoff-options.js';
import type { LockFamily } from './lock-families.js';
import { LocalFallback, type WhenUnreachable } from './local-fallback.js';
import { QueueFailure } from './lock-queue.js';
import type { LockMode } from './held-lock.js';
import type { QueueKind } from './queue-ticket.js';
import { callerError } from './caller-error.js';
import { promised } from './promised.js';
import { within } from './within.js';

/** Defaults for every acquire, from the module's options. In ms. */
export interface LockDefaults {
  readonly waitMs: number;
  readonly attemptMs: number;
  readonly releaseWaitMs: number;
  /** Default `fail`. */
  readonly whenUnreachable?: WhenUnreachable;
  /** How long there must be no connection before locks are degraded. Default 10,000. */
  readonly unreachableAfterMs?: number;
  /** How tries after connection trouble are spaced within a call. Default: `DEFAULT_RETRY`. */
  readonly retry?: RetryPolicy;
  /** How callers of this process pass a lock on; false: each has a node of its own. */
  readonly handoff?: HandoffOptions | false;
  /** How long a node is kept when nobody of this process wants its lock any more. Default 0. */
  readonly lingerMs?: number;
  /** How many calls of this process may wait for one key. Default: unlimited. */
  readonly maxWaiting?: number;
}

/** How one kind of lock queues. */
export interface LockKind extends QueueKind {
  readonly family: LockFamily;
  /** Ties the nodes of one entry together, where it has several. */
  readonly entry?: string;
  readonly mode: LockMode;
}

export interface LockStats {
  /** Nodes held, those that stay for their `minHoldMs` included. */
  readonly held: number;
  /** Nodes that are kept for `lingerMs` although nobody of this process holds the lock. */
  readonly lingering: number;
  /** Calls that wait for a lock. */
  readonly waiting: number;
}

/** All locks of one connection: grants them, knows them, and gives them back at shutdown. */
export class LockManager {
  /** Tells this connection from others of the same process in the nodes' data. */
  readonly instance = randomUUID().slice(0, 8);
  /** @internal */
  readonly logger: LockLogger;
  private readonly attempts = new Set<Attempt>();
  private readonly fleet: FleetLocks;
  private localFallback: LocalFallback | undefined;
  /** @internal Aborts when the shutdown begins. */
  readonly shutdown = new AbortController();
  private readonly lastSections = new Set<Promise<void>>();
  private graceEndsAt = 0;
  /** The end of the last call that waits, while somebody waits for that. */
  private idle: { readonly reached: Promise<void>; readonly reach: () => void } | undefined;

  constructor(
    /** @internal */
    readonly connection: ZkConnection,
    private readonly defaults: LockDefaults,
    logger: LockLogger,
  ) {
    this.logger = unfailing(logger);
    this.fleet = new FleetLocks(connection, this.instance, defaults, this.logger);
    if (defaults.whenUnreachable === 'local') this.localFallback = this.makeFallback();
  }

  /** The full path of a lock, from the name of its node under the root, or from an absolute path below the chroot. */
  pathOf(nodeName: string): string {
    const { rootPath, chroot } = this.connection;
    return nodeName.startsWith('/') ? `${chroot}${nodeName}` : `${rootPath}/${nodeName}`;
  }

  /** A path as users know it, from a full one: below the chroot. */
  publicPath(path: string): string {
    return path.slice(this.connection.chroot.length);
  }

  stats(): LockStats {
    return { held: this.fleet.held, lingering: this.fleet.lingering, waiting: this.attempts.size };
  }

  /** Degraded operation: whether it is on, and how many locks are held so. */
  degraded(): { active: boolean; held: number } {
    return { active: this.localFallback?.isActive ?? false, held: this.localFallback?.held ?? 0 };
  }

  /** Runs one call that wants locks, under one deadline; the errors it throws are the caller's. */
  attempt<T>(
    key: string,
    options: AcquireOptions,
    work: (attempt: Attempt) => Promise<T>,
    /** True for entries into a lock that the caller holds: those go on during a shutdown. */
    inside = false,
  ): Promise<T> {
    return promised(() => {
      const attempt = this.begin(key, options, inside);
      const working = promised(() => {
        attempt.throwIfOver(); // cancelled before it began: nothing is asked of the server
        return work(attempt);
      });
      return working.then(
        (result) => {
          this.finish(attempt);
          return result;
        },
        (error: unknown) => this.fail(error, key, attempt, options.signal),
      );
    });
  }

  private begin(key: string, options: AcquireOptions, inside: boolean): Attempt {
    checkAcquireOptions(options);
    if (this.shutdown.signal.aborted && !inside) {
      throw new LockShutdownError(
        `The application is shutting down: the lock "${key}" is not acquired any more.`,
        { key },
      );
    }
    const { waitMs = this.defaults.waitMs, attemptMs = this.defaults.attemptMs } = options;
    const attempt = new Attempt(waitMs === 0, waitMs === 0 ? attemptMs : waitMs, options.signal);
    this.attempts.add(attempt);
    return attempt;
  }

  private finish(attempt: Attempt): void {
    attempt.finish();
    this.attempts.delete(attempt);
    if (this.attempts.size === 0) this.idle?.reach();
  }

  /** @throws what the caller is told. */
  private async fail(
    error: unknown,
    key: string,
    attempt: Attempt,
    signal: AbortSignal | undefined,
  ): Promise<never> {
    const failure = error instanceof QueueFailure ? error : new QueueFailure(error);
    const { connection, instance } = this;
    try {
      throw await callerError(failure, key, attempt, {
        connection,
        instance,
        reason: signal?.reason as unknown,
      });
    } finally {
      this.finish(attempt);
    }
  }

  /** Degraded operation: made when it is first asked for. */
  get fallback(): LocalFallback {
    return (this.localFallback ??= this.makeFallback());
  }

  /** Queues for one lock and holds it; in this process only, when ZooKeeper is unreachable and the user asked for that.
   * @throws QueueFailure or AttemptOver, to be thrown on inside `attempt`. */
  grant(target: HoldTarget, kind: LockKind, attempt: Attempt, options: AcquireOptions): Promise<AnyHold> {
    const { whenUnreachable = this.defaults.whenUnreachable } = options;
    return whenUnreachable === 'local'
      ? this.grantAnyway(target, kind, attempt, options)
      : this.grantByFleet(target, kind, attempt, options);
  }

  private async grantAnyway(
    target: HoldTarget,
    kind: LockKind,
    attempt: Attempt,
    options: AcquireOptions,
  ): Promise<AnyHold> {
    const { fallback } = this;
    const degraded = (error: unknown): never => {
      throw new QueueFailure(error, 'degraded');
    };
    for (;;) {
      const hold = fallback.isActive
        ? await fallback
            .grant(target, kind, attempt, () => this.fleet.sectionsEnded(target.path, attempt))
            .catch(degraded)
        : await this.grantWhileReachable(target, kind, attempt, options);
      if (hold !== undefined) return hold;
    }
  }

  /** Undefined when ZooKeeper became unreachable meanwhile. */
  private async grantWhileReachable(
    target: HoldTarget,
    kind: LockKind,
    attempt: Attempt,
    options: AcquireOptions,
  ): Promise<Hold | undefined> {
    return attempt.part(async (part) => {
      const forget = this.fallback.onChange(({ active }) => active && part.end('unreachable'));
      try {
        return await this.grantByFleet(target, kind, part, options);
      } catch (error) {
        if (part.ending !== 'unreachable') throw error;
        return undefined;
      } finally {
        forget();
      }
    });
  }

  private makeFallback(): LocalFallback {
    return new LocalFallback(this.connection, this.defaults.unreachableAfterMs ?? 10_000, this.logger);
  }

  private grantByFleet(
    target: HoldTarget,
    kind: LockKind,
    attempt: Attempt,
    options: AcquireOptions,
  ): Promise<Hold> {
    const granted = this.fleet.grant(target, kind, attempt, options);
    const { localFallback } = this;
    if (localFallback === undefined) return granted;
    return granted.then(async (hold) => {
      // Degraded holders of the time before are not overtaken.
      await localFallback.drained(target.path, attempt).catch((error: unknown) => {
        hold.abandon();
        throw new QueueFailure(error, 'degraded');
      });
      return hold;
    });
  }

  /** Who holds and who waits, in order. */
  async contenders(key: string, path: string): Promise<Contender[]> {
    const contenders = await this.request(key, (session) => readContenders(session, path));
    return contenders.map((contender) => ({ ...contender, path: this.publicPath(contender.path) }));
  }

  /** Asks ZooKeeper something that may be asked twice, within the default deadline. */
  async request<T>(key: string, question: (session: ZkSession) => Promise<T>): Promise<T> {
    return this.attempt(key, {}, (attempt) => ask(this.connection, attempt, question));
  }

  /** @internal What runs may use the rest of the grace at a shutdown, although nobody waits for it. */
  spare(section: Promise<void>): void {
    this.lastSections.add(section);
    void section.finally(() => this.lastSections.delete(section));
  }

  /** From now on no acquire begins; those that wait get `graceMs`. Resolves when none waits any more. */
  async beginShutdown(graceMs: number): Promise<void> {
    this.shutdown.abort();
    this.graceEndsAt = performance.now() + graceMs;
    void this.fleet.giveUpIdle();
    if (this.attempts.size === 0) return;
    let reach: () => void = () => undefined;
    const reached = new Promise<void>((resolve) => (reach = resolve));
    this.idle ??= { reached, reach };
    const timer = setTimeout(() => {
      for (const attempt of this.attempts) attempt.end('shutdown');
    }, graceMs);
    await this.idle.reached;
    clearTimeout(timer);
  }

  /**
   * Gives back what is still held and waits for the confirmation, at most `releaseWaitMs`. What lingers for `minHoldMs`
   * and what still runs under a leadership that was given up is left alone until the grace is over.
   */
  async finishShutdown(): Promise<void> {
    this.shutdown.abort();
    for (const attempt of this.attempts) attempt.end('shutdown');
    await within(
      this.graceEndsAt - performance.now(),
      Promise.all([...this.lastSections, this.fleet.settled()]),
      undefined,
    );
    await this.fleet.giveBackAll();
  }
}
