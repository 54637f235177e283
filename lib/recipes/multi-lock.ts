import { LockConfigError } from '../errors/lock-config.error.js';
import type { AcquireOptions } from './acquire-options.js';
import type { HeldLock, LockMode, LockState } from './held-lock.js';
import { ContextScope, currentScope, type HoldScope, type LockScope } from './lock-context.js';
import type { LockManager } from './lock-manager.js';
import { LockRecipe } from './lock-recipe.js';
import type { QueueLock } from './queue-lock.js';

/** Several locks as one: all or nothing, always taken in one global order so that two of them cannot deadlock. */
export class MultiLock extends LockRecipe {
  private readonly locks: readonly QueueLock[];
  private readonly key: string;

  /**
   * Locks that meet in one node are taken once, in the stronger mode.
   * @throws LockConfigError for an empty list, and when one node is asked for as two kinds of lock.
   */
  constructor(
    private readonly manager: LockManager,
    locks: readonly QueueLock[],
  ) {
    super();
    if (locks.length === 0) {
      throw new LockConfigError('A multi-lock needs at least one key; the list is empty.');
    }
    const byPath = new Map<string, QueueLock>();
    for (const lock of locks) byPath.set(lock.path, stronger(byPath.get(lock.path), lock));
    this.locks = [...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
    this.key = [...new Set(locks.map(({ key }) => key))].join(', ');
  }

  /** One deadline for all. When one cannot be had, those taken are given back. */
  override async acquire(options: AcquireOptions = {}): Promise<HeldLock> {
    // A scope is entered for its roll-back only; its body is never run, so nothing is reentrant here.
    return (await this.enterFrom(undefined, { ...options, reentrant: false })).lock;
  }

  /** @internal */
  override async enter(options: AcquireOptions = {}): Promise<LockScope> {
    return this.enterFrom(currentScope(), options);
  }

  private async enterFrom(outer: ContextScope | undefined, options: AcquireOptions): Promise<MultiScope> {
    return this.manager.attempt(this.key, options, async (attempt) => {
      const scopes: HoldScope[] = [];
      try {
        for (const lock of this.locks) {
          scopes.push(await lock.enterIn(scopes.at(-1) ?? outer, attempt, options));
        }
        for (const { hold } of scopes) {
          // The first ones may have been lost while the last one was waited for.
          if (!hold.isHeld() && hold.lossError !== undefined) throw hold.lossError;
        }
        return new MultiScope(this.key, scopes);
      } catch (error) {
        await Promise.all(scopes.reverse().map((scope) => scope.end()));
        throw error;
      }
    });
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

class MultiScope extends ContextScope {
  readonly lock: HeldLock;

  constructor(key: string, scopes: readonly HoldScope[]) {
    super(scopes.at(-1));
    this.lock = new MultiHandle(
      key,
      scopes.map((scope) => scope.lock),
    );
  }

  end(): Promise<void> {
    return this.lock.release();
  }
}

/** The `HeldLock` of several keys: held while all are held. */
class MultiHandle implements HeldLock {
  readonly mode: LockMode;
  readonly signal: AbortSignal;
  readonly acquiredAt = new Date();

  constructor(
    readonly key: string,
    private readonly locks: readonly HeldLock[],
  ) {
    this.mode = locks.every(({ mode }) => mode === 'read') ? 'read' : 'exclusive';
    this.signal = AbortSignal.any(locks.map((lock) => lock.signal));
  }

  get path(): string {
    return this.locks.map((lock) => lock.path).join(', ');
  }

  get degraded(): boolean {
    return this.locks.some((lock) => lock.degraded);
  }

  get fencingToken(): bigint {
    const [only, second] = this.locks;
    if (only !== undefined && second === undefined) return only.fencingToken;
    throw new LockConfigError(`The lock "${this.key}" has one fencing token per key: read "fencingTokens".`);
  }

  get fencingTokens(): ReadonlyMap<string, bigint> {
    return new Map(this.locks.flatMap((lock) => [...lock.fencingTokens]));
  }

  get state(): LockState {
    const states = this.locks.map((lock) => lock.state);
    if (states.includes('lost')) return 'lost';
    return states.includes('released') ? 'released' : 'held';
  }

  isHeld(): boolean {
    return this.locks.every((lock) => lock.isHeld());
  }

  assertHeld(): void {
    for (const lock of this.locks) lock.assertHeld();
  }

  async verify(): Promise<boolean> {
    const answers = await Promise.all(this.locks.map((lock) => lock.verify()));
    return answers.every(Boolean);
  }

  async release(): Promise<void> {
    await Promise.all([...this.locks].reverse().map((lock) => lock.release()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }
}
