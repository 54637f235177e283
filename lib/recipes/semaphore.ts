import { randomUUID } from 'node:crypto';
import { LockConfigError } from '../errors/lock-config.error.js';
import type { ZkSession } from '../session/zk-session.js';
import type { AcquireOptions } from './acquire-options.js';
import type { AnyHold } from './any-hold.js';
import { ask } from './ask.js';
import { AttemptOver, type Attempt } from './attempt.js';
import type { Contender } from './contender.js';
import type { HeldLock } from './held-lock.js';
import { currentScope, HoldScope, type ContextScope, type LockScope } from './lock-context.js';
import type { LockKind, LockManager } from './lock-manager.js';
import { QueueFailure } from './lock-queue.js';
import { LockRecipe } from './lock-recipe.js';
import { MultiScope } from './multi-scope.js';
import type { LockTarget } from './queue-lock.js';
import { among, exclusive, type QueueRule } from './queue-rules.js';
import { endIfPermitsAreOut, refuseOtherKinds } from './semaphore-look.js';
import { readCount, type SharedCount } from './shared-count.js';
import { takeWhole, type Taking } from './take-whole.js';

export interface PermitOptions extends AcquireOptions {
  /** How many permits this acquire wants, all or nothing. 1 to the number there are, at most 1,000; default 1. */
  permits?: number;
}

/** Permits of one acquire. */
const MAX_WANTED = 1_000;

/** The door: one after the other takes leases, first come first served. */
const DOOR = { mode: 'exclusive', mark: 'lock-', marks: ['lock-'] } as const;

/**
 * At most N holders at a time, on the nodes of Curator's InterProcessSemaphoreV2: `<path>/locks` is a queue whose first
 * one makes lease nodes in `<path>/leases`, and lets the next one in when its leases are among the first N. Not
 * reentrant: every entry takes permits of its own.
 */
export class Semaphore extends LockRecipe<PermitOptions> {
  readonly path: string;
  private readonly fixed: number | undefined;
  private readonly count: SharedCount | undefined;

  /** @param permits how many there are; or the shared count that says it, which may change at any time.
   * @throws LockConfigError unless it is an integer from 1. */
  constructor(
    private readonly manager: LockManager,
    private readonly target: LockTarget,
    permits: number | SharedCount,
  ) {
    super();
    this.path = manager.pathOf(target.nodeName);
    if (typeof permits !== 'number') this.count = permits;
    else this.fixed = checkPermits(target.text, permits);
  }

  get key(): string {
    return this.target.text;
  }

  override async acquire(options: PermitOptions = {}): Promise<HeldLock> {
    return (await this.enterFrom(undefined, options)).lock;
  }

  /** @internal */
  override async enter(options: PermitOptions = {}): Promise<LockScope> {
    return this.enterFrom(currentScope(), options);
  }

  /** Who holds permits and who waits for them, in order. */
  async contenders(): Promise<Contender[]> {
    return this.manager.contenders(this.key, this.path);
  }

  private async enterFrom(outer: ContextScope | undefined, options: PermitOptions): Promise<LockScope> {
    const wanted = this.checkWanted(options.permits ?? 1);
    const leases = await this.manager.attempt(this.key, options, (attempt) =>
      takeWhole(attempt, (taking) => this.takePermits(wanted, taking, options)),
    );
    for (const lease of leases) lease.handOut();
    return this.scopeOf(leases, outer);
  }

  /** Only one at a time takes leases, so that two cannot block each other: whoever loses the door begins again. */
  private async takePermits(wanted: number, taking: Taking, options: PermitOptions): Promise<AnyHold[]> {
    const entry = randomUUID().slice(0, 8);
    const door = await this.passDoor(wanted, taking.attempt, options, entry);
    taking.standsOn(door);
    try {
      return await this.takeLeases(wanted, taking, options, entry);
    } finally {
      door.abandon(); // the next one need not wait until that is confirmed here
    }
  }

  /** Others pass through the door in a moment: waitMs 0 means not to wait for permits. */
  private async passDoor(
    wanted: number,
    attempt: Attempt,
    options: PermitOptions,
    entry: string,
  ): Promise<AnyHold> {
    return attempt.part(async (part) => {
      let isBehind = false;
      const rule: QueueRule = (queue, index) => {
        if (index > 0 && attempt.immediate && !isBehind) {
          isBehind = true;
          this.endIfPermitsAreOut(wanted, part);
        }
        return exclusive(queue, index);
      };
      const kind: LockKind = { ...DOOR, rule, family: 'semaphore', home: this.path, entry };
      try {
        return await this.manager.grant(this.holdTarget('locks', 'exclusive'), kind, part, options);
      } catch (error) {
        throw withoutHolder(error);
      } finally {
        part.end('aborted'); // nobody looks any more
      }
    }, false);
  }

  private endIfPermitsAreOut(wanted: number, attempt: Attempt): void {
    const limit = async (session: ZkSession): Promise<number> =>
      this.fixed ?? (await this.count?.read(session)) ?? 0;
    const wish = { path: this.path, wanted, limit };
    endIfPermitsAreOut(this.manager.connection, attempt, wish).catch(() => undefined); // then it waits for its turn
  }

  /** Each lease has a node of its own. What fails first ends it for all. */
  private async takeLeases(
    wanted: number,
    { attempt, taken }: Taking,
    options: PermitOptions,
    entry: string,
  ): Promise<AnyHold[]> {
    const kind = { ...this.leaseKind(), entry };
    const take = async (): Promise<AnyHold> => {
      const hold = await this.manager.grant(this.holdTarget('leases', 'permit'), kind, attempt, options);
      taken({ hold, abandon: () => hold.abandon() });
      return hold;
    };
    const failures: unknown[] = [];
    const heed = (error: unknown): void => {
      failures.push(error);
      attempt.end('aborted');
    };
    const taking = Array.from({ length: wanted }, take);
    // In the same round trip: whoever came as another kind of lock before the door's node was made does not know of it.
    const looking = ask(this.manager.connection, attempt, (session) => refuseOtherKinds(session, this.path));
    for (const part of [...taking, looking]) part.catch(heed);
    const outcomes = await Promise.allSettled(taking);
    const leases = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    // Degraded leases need no ZooKeeper, which could not answer.
    if (!leases.some(({ degraded }) => degraded)) await looking.catch(() => undefined);
    if (failures.length > 0) throw mostTelling(failures);
    return leases;
  }

  private checkWanted(permits: number): number {
    const wanted = checkPermits(this.key, permits);
    if (this.fixed !== undefined && wanted > this.fixed) {
      throw new LockConfigError(
        `"${this.key}" has ${this.fixed} permits; ${wanted} of them were asked for.`,
        { key: this.key },
      );
    }
    if (wanted <= MAX_WANTED) return wanted;
    throw new LockConfigError(
      `${wanted} permits of "${this.key}" were asked for at once; allowed are ${MAX_WANTED}: each has a node of its own.`,
      { key: this.key },
    );
  }

  private leaseKind(): LockKind {
    let limit = this.fixed ?? 0;
    return {
      family: 'semaphore',
      home: this.path,
      mode: 'permit',
      mark: 'lease-',
      marks: ['lease-'],
      rule: among(() => limit),
      ...(this.count !== undefined && {
        limit: { path: this.count.path, read: (data) => (limit = (data && readCount(data)) ?? 0) },
      }),
    };
  }

  private scopeOf(leases: readonly AnyHold[], outer: ContextScope | undefined): LockScope {
    const scopes: HoldScope[] = [];
    for (const lease of leases) scopes.push(new HoldScope(lease, scopes.at(-1) ?? outer));
    const [only, second] = scopes;
    return only !== undefined && second === undefined ? only : new MultiScope(this.key, scopes);
  }

  private holdTarget(folder: 'locks' | 'leases', mode: 'exclusive' | 'permit') {
    return { key: this.key, path: `${this.path}/${folder}`, owner: this.manager, mode };
  }
}

/** Of the failures of one whole, oldest first: where the wait is over, one that says what was waited for. */
function mostTelling(failures: readonly unknown[]): unknown {
  const [first] = failures;
  const cause = first instanceof QueueFailure ? first.cause : first;
  if (!(cause instanceof AttemptOver)) return first;
  return failures.find((failure) => failure instanceof QueueFailure && failure.place !== undefined) ?? first;
}

/** The first one at the door holds nothing yet. */
function withoutHolder(error: unknown): unknown {
  if (!(error instanceof QueueFailure) || typeof error.place !== 'object') return error;
  return new QueueFailure(error.cause, { ...error.place, first: undefined }, error.session);
}

function checkPermits(key: string, permits: number): number {
  if (Number.isInteger(permits) && permits >= 1) return permits;
  throw new LockConfigError(`Permits of "${key}" are ${permits}; allowed are integers from 1.`, { key });
}
