import { AsyncLocalStorage } from 'node:async_hooks';
import { LockNotHeldError } from '../errors/lock-not-held.error.js';
import type { Attempt } from './attempt.js';
import type { HeldLock } from './held-lock.js';
import type { AnyHold, HoldOwner } from './any-hold.js';
import { LockHandle } from './lock-handle.js';
import { Turnstile } from './turnstile.js';

/** One entry into a held lock: `withLock` and decorated methods run their body in it. */
export interface LockScope {
  readonly lock: HeldLock;
  /** Runs `body` in the async context of this hold, so that `currentLock()` and reentrant entries see it. */
  run<T>(body: () => T): T;
  /**
   * Leaves the scope; when the last live entry has left, the node's delete has been sent before this returns. Resolves
   * when it is confirmed. Never rejects.
   */
  end(): Promise<void>;
  /** Leaves a scope in which nothing was run: at once, and without `minHoldMs`. */
  abandon(): void;
}

/** What an async context knows: the scope it runs in, and around it those outside. */
export abstract class ContextScope implements LockScope {
  abstract readonly lock: HeldLock;

  protected constructor(readonly outer: ContextScope | undefined) {}

  run<T>(body: () => T): T {
    return storage.run(this, body);
  }

  abstract end(): Promise<void>;

  abstract abandon(): void;
}

const DONE = Promise.resolve();
const storage = new AsyncLocalStorage<ContextScope>();

/** The scope of the running code, if any. */
export function currentScope(): ContextScope | undefined {
  return storage.getStore();
}

/**
 * One entry into one hold. The entries into a hold form a tree: those made directly inside one scope are siblings and
 * pass one at a time. The hold is released when the last of them has ended.
 */
export class HoldScope extends ContextScope {
  readonly lock: HeldLock;
  /** Made when something is entered inside. */
  private turnstile: Turnstile | undefined;
  /** This entry while it lasts, and its live inner ones. */
  private users = 1;
  private ended = false;
  private ending: Promise<void> | undefined;

  constructor(
    readonly hold: AnyHold,
    outer: ContextScope | undefined,
    private readonly parent?: HoldScope,
  ) {
    super(outer);
    this.lock = new LockHandle(hold, () => this.end());
  }

  /** The caller has it now. The first entry into a hold hands the hold out. */
  handOut(): void {
    if (this.parent === undefined) this.hold.handOut();
  }

  get isLive(): boolean {
    return !this.ended;
  }

  get isEntered(): boolean {
    return this.turnstile?.busy === true;
  }

  /** Enters the same hold again from inside, after the siblings that came first.
   * @throws the reason of the attempt's end; nothing is entered then. */
  async reenter(outer: ContextScope | undefined, attempt: Attempt): Promise<HoldScope> {
    this.users += 1;
    if (this.hold.target.mode === 'read') return new HoldScope(this.hold, outer, this); // readers share
    try {
      await this.siblings.enter(attempt);
    } catch (error) {
      void this.drop();
      throw error;
    }
    return new HoldScope(this.hold, outer, this);
  }

  end(): Promise<void> {
    if (this.ending === undefined) {
      this.ended = true;
      this.ending = this.drop();
    }
    return this.ending;
  }

  override abandon(): void {
    if (this.parent === undefined && this.users === 1 && !this.ended) this.hold.abandon();
    void this.end();
  }

  private get siblings(): Turnstile {
    return (this.turnstile ??= new Turnstile());
  }

  private drop(): Promise<void> {
    this.users -= 1;
    if (this.users > 0) return DONE;
    if (this.parent === undefined) return this.hold.release();
    if (this.hold.target.mode !== 'read') this.parent.siblings.leave();
    return this.parent.drop();
  }
}

/** The innermost live entry into the hold of `path` around the running code. */
export function enclosingScope(path: string, owner: HoldOwner): HoldScope | undefined {
  for (let scope = currentScope(); scope !== undefined; scope = scope.outer) {
    if (!(scope instanceof HoldScope) || !scope.isLive) continue;
    const { target } = scope.hold;
    if (target.path === path && target.owner === owner) return scope;
  }
  return undefined;
}

/**
 * The lock of the innermost `withLock` body or decorated method around the running code; with a key, the innermost of
 * that key (as it was written by whoever took it).
 * @throws LockNotHeldError when there is none.
 */
export function currentLock(key?: string): HeldLock {
  for (let scope = currentScope(); scope !== undefined; scope = scope.outer) {
    if (key === undefined || scope.lock.key === key) return scope.lock;
  }
  throw new LockNotHeldError(
    key === undefined
      ? 'currentLock() was called outside of withLock() and of any method with @DistributedLock.'
      : `currentLock("${key}") was called where no lock of that key is held by the running code.`,
    { key },
  );
}
