import { randomUUID } from 'node:crypto';
import { integers, type OptionRule, type OptionRules } from '../errors/check-options.js';
import { LockConfigError } from '../errors/lock-config.error.js';
import { shown } from '../errors/shown.js';
import type { ZkSession } from '../session/zk-session.js';
import type { AcquireOptions } from './acquire-options.js';
import { ACQUIRE_RULES, checkAcquireOptions } from './acquire-options-check.js';
import type { AnyHold, HoldTarget } from './any-hold.js';
import type { Attempt } from './attempt.js';
import type { Contender } from './contender.js';
import type { HeldLock } from './held-lock.js';
import { currentScope, HoldScope, type ContextScope, type LockScope } from './lock-context.js';
import type { LockKind, LockManager } from './lock-manager.js';
import { LockRecipe } from './lock-recipe.js';
import { MultiScope } from './multi-scope.js';
import type { LockTarget } from './queue-lock.js';
import { among, exclusive } from './queue-rules.js';
import { MAX_COUNT, readCount, SharedCount } from './shared-count.js';

export interface PermitOptions extends Omit<AcquireOptions, 'handoff' | 'lingerMs'> {
  /** How many permits this acquire wants, all or nothing. 1 to the number there are; default 1. */
  permits?: number;
}

const PERMITS = integers(1, MAX_COUNT);
const { handoff: _handoff, lingerMs: _lingerMs, ...SHARED_RULES } = ACQUIRE_RULES;
const PERMIT_RULES: OptionRules<PermitOptions> = { ...SHARED_RULES, permits: PERMITS };
/** How many permits a semaphore may have. */
export const SIZE: OptionRule = {
  allowed: `${PERMITS.allowed}, or a SharedCount`,
  accepts: (value) => value instanceof SharedCount || PERMITS.accepts(value),
};

/** The door: one after the other takes leases, first come first served. */
const DOOR = { mode: 'exclusive', mark: 'lock-', marks: ['lock-'], rule: exclusive } as const;

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
    return this.manager.attempt(this.key, rest, async (attempt) => {
      attempt.wanted = {
        family: 'semaphore',
        mode: 'permit',
        reentrant: true,
        obstacle: (session) => this.obstacle(permits, session),
      };
      // Others pass through the door in a moment: waitMs 0 means not to wait for permits.
      const entry = randomUUID().slice(0, 8);
      const kind: LockKind = { ...DOOR, family: 'semaphore', entry };
      const door = await attempt.part(
        (part) =>
          this.manager.grant(this.holdTarget('locks', 'exclusive'), kind, part, { ...rest, minHoldMs: 0 }),
        false,
      );
      try {
        return this.scopeOf(await this.takeLeases(permits, attempt, rest, entry), outer);
      } finally {
        door.abandon(); // the next one need not wait until that is confirmed here
      }
    });
  }

  /** Each lease has a node of its own. All or nothing; only one at a time does this, so that two cannot block each other. */
  private async takeLeases(
    wanted: number,
    attempt: Attempt,
    options: PermitOptions,
    entry: string,
  ): Promise<AnyHold[]> {
    const kind = { ...this.leaseKind(), entry };
    const taking = Array.from({ length: wanted }, () =>
      this.manager.grant(this.holdTarget('leases', 'permit'), kind, attempt, options),
    );
    const outcomes = await Promise.allSettled(taking);
    const leases = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    const failure = outcomes.find((outcome) => outcome.status === 'rejected');
    // The first ones may have been lost while the last one was waited for.
    const lost = leases.find((lease) => !lease.isHeld())?.lossError;
    if (failure === undefined && lost === undefined) return leases;
    for (const lease of leases) lease.abandon();
    throw failure?.reason ?? lost;
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
