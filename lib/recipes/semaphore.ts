import { randomUUID } from 'node:crypto';
import { integers, type OptionRule, type OptionRules } from '../errors/check-options.js';
import { LockConfigError } from '../errors/lock-config.error.js';
import { shown } from '../errors/shown.js';
import type { ZkSession } from '../session/zk-session.js';
import type { AcquireOptions } from './acquire-options.js';
import { ACQUIRE_RULES, checkAcquireOptions } from './acquire-options-check.js';
import type { AnyHold, HoldTarget } from './any-hold.js';
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
import { MAX_COUNT, readCount, SharedCount } from './shared-count.js';
import { takeWhole, type Taking } from './take-whole.js';

export interface PermitOptions extends Omit<AcquireOptions, 'handoff' | 'lingerMs'> {
  /** How many permits this acquire wants, all or nothing. 1 to the number there are, at most 1,000; default 1. */
  permits?: number;
}

const COUNT = integers(1, MAX_COUNT);
/** Permits of one acquire: each has a node of its own. */
const WANTED = integers(1, 1_000);
const { handoff: _handoff, lingerMs: _lingerMs, ...SHARED_RULES } = ACQUIRE_RULES;
const PERMIT_RULES: OptionRules<PermitOptions> = { ...SHARED_RULES, permits: WANTED };
/** How many permits a semaphore may have. */
export const SIZE: OptionRule = {
  allowed: `${COUNT.allowed}, or a SharedCount`,
  accepts: (value) => value instanceof SharedCount || COUNT.accepts(value),
};

/** The door: one after the other takes leases, first come first served. */
const DOOR = { mode: 'exclusive', mark: 'lock-', marks: ['lock-'] } as const;

/**
 * At most N holders at a time, on the nodes of Curator's InterProcessSemaphoreV2: `<path>/locks` is a queue whose first
 * one makes lease nodes in `<path>/leases`, and lets the next one in when its leases are among the first N. Not
 * reentrant: every entry takes permits of its own.
 */
export class Semaphore extends LockRecipe<PermitOptions> {
  /** The full path. */
  private readonly node: string;

  /** @param permits how many there are; or the shared count that says it, which may change at any time.
   * @throws LockConfigError unless it is an integer from 1 to 2,147,483,647, or a shared count of the same connection. */
  constructor(
    private readonly manager: LockManager,
    private readonly target: LockTarget,
    private readonly size: number | SharedCount,
  ) {
    super();
    this.node = manager.pathOf(target.nodeName);
    const { text: key } = target;
    if (!SIZE.accepts(size)) {
      throw new LockConfigError(`Permits of "${key}" are ${shown(size)}; allowed are ${SIZE.allowed}.`, {
        key,
      });
    }
    if (typeof size !== 'number' && size.manager !== manager) {
      throw new LockConfigError(
        `Permits of "${key}" are the shared count "${size.key}" of another connection.`,
        {
          key,
        },
      );
    }
  }

  /** The node of the semaphore, below the chroot. */
  get path(): string {
    return this.manager.publicPath(this.node);
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
    return this.manager.contenders(this.key, this.node);
  }

  private async enterFrom(outer: ContextScope | undefined, options: PermitOptions): Promise<LockScope> {
    checkAcquireOptions(options, PERMIT_RULES);
    const { permits = 1, ...rest } = options;
    if (typeof this.size === 'number' && permits > this.size) {
      throw new LockConfigError(
        `"${this.key}" has ${this.size} permits; ${permits} of them were asked for.`,
        { key: this.key },
      );
    }
    const leases = await this.manager.attempt(this.key, rest, (attempt) => {
      const obstacle = (session: ZkSession) => this.obstacle(permits, session);
      attempt.wanted = { family: 'semaphore', mode: 'permit', reentrant: true, obstacle };
      return takeWhole(attempt, (taking) => this.takePermits(permits, taking, rest));
    });
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
      const kind: LockKind = { ...DOOR, rule, family: 'semaphore', entry };
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
    const { size } = this;
    const limit = async (session: ZkSession): Promise<number> =>
      typeof size === 'number' ? size : ((await size.read(session)) ?? 0);
    const wish = { path: this.node, wanted, limit };
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
    const looking = ask(this.manager.connection, attempt, (session) => refuseOtherKinds(session, this.node));
    for (const part of [...taking, looking]) part.catch(heed);
    const outcomes = await Promise.allSettled(taking);
    const leases = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    // Degraded leases need no ZooKeeper, which could not answer.
    if (!leases.some(({ degraded }) => degraded)) await looking.catch(() => undefined);
    if (failures.length > 0) throw mostTelling(failures);
    return leases;
  }

  private leaseKind(): LockKind {
    const { size } = this;
    let limit = typeof size === 'number' ? size : 0;
    return {
      family: 'semaphore',
      mode: 'permit',
      mark: 'lease-',
      marks: ['lease-'],
      rule: among(() => limit),
      ...(typeof size !== 'number' && {
        limit: { path: size.node, read: (data) => (limit = (data && readCount(data)) ?? 0) },
      }),
    };
  }

  /** Why nobody could have so many permits: the shared count does not give them. */
  private async obstacle(permits: number, session: ZkSession): Promise<string | undefined> {
    if (typeof this.size === 'number') return undefined;
    const count = await this.size.read(session);
    if (count !== undefined && count >= permits) return undefined;
    const state = count === undefined ? 'was never set' : `is ${count}`;
    return `the shared count "${this.size.key}" ${state}, and ${permits} ${permits === 1 ? 'permit is' : 'permits are'} wanted`;
  }

  private scopeOf(leases: readonly AnyHold[], outer: ContextScope | undefined): LockScope {
    const scopes: HoldScope[] = [];
    for (const lease of leases) scopes.push(new HoldScope(lease, scopes.at(-1) ?? outer));
    const [only, second] = scopes;
    return only !== undefined && second === undefined ? only : new MultiScope(this.key, scopes);
  }

  private holdTarget(folder: 'locks' | 'leases', mode: 'exclusive' | 'permit'): HoldTarget {
    const { key, node: home, manager: owner } = this;
    return { key, path: `${home}/${folder}`, home, owner, mode };
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
