import { randomUUID } from 'node:crypto';
import { LockConfigError } from '../errors/lock-config.error.js';
import type { AcquireOptions } from './acquire-options.js';
import type { AnyHold } from './any-hold.js';
import type { Attempt } from './attempt.js';
import type { Contender } from './contender.js';
import type { HeldLock } from './held-lock.js';
import { currentScope, HoldScope, type ContextScope, type LockScope } from './lock-context.js';
import type { LockKind, LockManager } from './lock-manager.js';
import { LockRecipe } from './lock-recipe.js';
import { MultiScope } from './multi-scope.js';
import type { LockTarget } from './queue-lock.js';
import { among, exclusive } from './queue-rules.js';
import { readCount, type SharedCount } from './shared-count.js';

export interface PermitOptions extends AcquireOptions {
  /** How many permits this acquire wants, all or nothing. 1 to the number there are; default 1. */
  permits?: number;
}

/** The door: one after the other takes leases, first come first served. */
const DOOR = { mode: 'exclusive', mark: 'lock-', marks: ['lock-'], rule: exclusive } as const;

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
    const wanted = checkPermits(this.key, options.permits ?? 1);
    if (this.fixed !== undefined && wanted > this.fixed) {
      throw new LockConfigError(
        `"${this.key}" has ${this.fixed} permits; ${wanted} of them were asked for.`,
        { key: this.key },
      );
    }
    return this.manager.attempt(this.key, options, async (attempt) => {
      // Others pass through the door in a moment: waitMs 0 means not to wait for permits.
      const entry = randomUUID().slice(0, 8);
      const kind: LockKind = { ...DOOR, family: 'semaphore', home: this.path, entry };
      const door = await attempt.part(
        (part) =>
          this.manager.grant(this.holdTarget('locks', 'exclusive'), kind, part, { ...options, minHoldMs: 0 }),
        false,
      );
      try {
        return this.scopeOf(await this.takeLeases(wanted, attempt, options, entry), outer);
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

function checkPermits(key: string, permits: number): number {
  if (Number.isInteger(permits) && permits >= 1) return permits;
  throw new LockConfigError(`Permits of "${key}" are ${permits}; allowed are integers from 1.`, { key });
}
