import { LockConfigError } from '../errors/lock-config.error.js';
import type { AcquireOptions } from './acquire-options.js';
import type { HeldLock } from './held-lock.js';
import { currentScope, type ContextScope, type HoldScope, type LockScope } from './lock-context.js';
import type { LockManager } from './lock-manager.js';
import { LockRecipe } from './lock-recipe.js';
import { MultiScope } from './multi-scope.js';
import { failureOf } from './lock-queue.js';
import type { QueueLock } from './queue-lock.js';
import { takeWhole, type Taking } from './take-whole.js';

/** Several locks as one: all or nothing, always taken in one global order so that two of them cannot deadlock. */
export class MultiLock extends LockRecipe {
  private readonly locks: readonly QueueLock[];
  private readonly key: string;
  /** The keys that meet in one node. */
  private readonly keysByPath = new Map<string, Set<string>>();

  /**
   * Locks that meet in one node are taken once, in the stronger mode.
   * @throws LockConfigError for an empty list, for locks of another connection, and when one node is asked for as two
   * kinds of lock.
   */
  constructor(
    private readonly manager: LockManager,
    locks: readonly QueueLock[],
  ) {
    super();
    if (locks.length === 0) {
      throw new LockConfigError('A multi-lock needs at least one key; the list is empty.');
    }
    const foreign = locks.find((lock) => lock.manager !== manager);
    if (foreign !== undefined) {
      throw new LockConfigError(
        `"${foreign.key}" is a lock of another connection: a multi-lock is of one connection.`,
      );
    }
    const byPath = new Map<string, QueueLock>();
    for (const lock of locks) {
      byPath.set(lock.path, stronger(byPath.get(lock.path), lock));
      const keys = this.keysByPath.get(lock.path) ?? new Set();
      this.keysByPath.set(lock.path, keys.add(lock.key));
    }
    this.locks = [...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
    this.key = [...new Set(locks.map(({ key }) => key))].join(', ');
  }

  /** One deadline for all. When one cannot be had, those taken are given back. */
  override async acquire(options: AcquireOptions = {}): Promise<HeldLock> {
    // A scope is entered for its roll-back only; its body is never run, so nothing is reentrant here.
    return (await this.enterFrom(undefined, options, true)).lock;
  }

  /** @internal */
  override async enter(options: AcquireOptions = {}): Promise<LockScope> {
    return this.enterFrom(currentScope(), options, false);
  }

  private async enterFrom(
    outer: ContextScope | undefined,
    options: AcquireOptions,
    byHand: boolean,
  ): Promise<MultiScope> {
    const inside = !byHand && this.locks.every((lock) => lock.isInside(options));
    const enter = async ({ attempt, taken }: Taking): Promise<HoldScope[]> => {
      const scopes: HoldScope[] = [];
      for (const lock of this.locks) {
        const scope = await lock
          .enterIn(scopes.at(-1) ?? outer, attempt, options, { byHand })
          .catch((error: unknown) => {
            throw failureOf(lock.key, error);
          });
        scopes.push(scope);
        taken(scope);
      }
      return scopes;
    };
    const scopes = await this.manager.attempt(
      this.key,
      options,
      (attempt) => takeWhole(attempt, enter),
      inside,
    );
    for (const scope of scopes) scope.handOut();
    return new MultiScope(this.key, scopes, this.keysByPath);
  }
}

function stronger(one: QueueLock | undefined, other: QueueLock): QueueLock {
  if (one === undefined) return other;
  if (one.kind.family !== other.kind.family) {
    throw new LockConfigError(
      `One multi-lock asks for "${one.key}" as ${one.kind.family} and for "${other.key}" as ${other.kind.family}: ` +
        'both are the same node. Use one kind of lock per key.',
    );
  }
  return one.mode === 'read' ? other : one;
}
