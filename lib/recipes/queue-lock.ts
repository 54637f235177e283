import { LockUpgradeError } from '../errors/lock-upgrade.error.js';
import type { AcquireOptions } from './acquire-options.js';
import type { HoldTarget } from './any-hold.js';
import type { Attempt } from './attempt.js';
import type { Contender } from './contender.js';
import type { HeldLock, LockMode } from './held-lock.js';
import {
  currentScope,
  enclosingScope,
  HoldScope,
  type ContextScope,
  type LockScope,
} from './lock-context.js';
import { LockHandle } from './lock-handle.js';
import type { LockKind, LockManager } from './lock-manager.js';
import { QueueFailure } from './lock-queue.js';
import { LockRecipe } from './lock-recipe.js';

/** Which lock: its key for people, its node's name for ZooKeeper (or an absolute path, which begins with `/`). */
export interface LockTarget {
  readonly text: string;
  readonly nodeName: string;
}

/** One key's queue, entered in one way: what mutexes and read/write locks are. */
export class QueueLock extends LockRecipe {
  /** @internal The full path. */
  readonly node: string;

  constructor(
    /** @internal */
    readonly manager: LockManager,
    private readonly target: LockTarget,
    /** @internal */
    readonly kind: LockKind,
  ) {
    super();
    this.node = manager.pathOf(target.nodeName);
  }

  get key(): string {
    return this.target.text;
  }

  /** The node under which the contenders queue, below the chroot. */
  get path(): string {
    return this.manager.publicPath(this.node);
  }

  get mode(): LockMode {
    return this.kind.mode;
  }

  override acquire(options: AcquireOptions = {}): Promise<HeldLock> {
    return this.manager.attempt(this.key, options, (attempt) => {
      this.declare(attempt, options);
      return this.manager.grant(this.holdTarget, this.kind, attempt, options).then((hold) => {
        hold.handOut();
        return new LockHandle(hold, () => hold.release());
      });
    });
  }

  /** @internal */
  override enter(options: AcquireOptions = {}): Promise<LockScope> {
    return this.manager.attempt(
      this.key,
      options,
      (attempt) => this.enterIn(currentScope(), attempt, options, { isWhole: true }),
      this.isInside(options),
    );
  }

  /** @internal True when the running code holds this lock and may enter it again. */
  isInside({ reentrant = true }: AcquireOptions): boolean {
    return reentrant && enclosingScope(this.node, this.manager) !== undefined;
  }

  /**
   * @internal Enters within somebody's attempt, as the innermost scope of `outer`; `byHand` is never reentrant, and
   * what `isWhole` is handed out at once.
   */
  enterIn(
    outer: ContextScope | undefined,
    attempt: Attempt,
    options: AcquireOptions,
    { byHand = false, isWhole = false } = {},
  ): Promise<HoldScope> {
    this.declare(attempt, options);
    const around =
      byHand || options.reentrant === false ? undefined : enclosingScope(this.node, this.manager);
    if (around !== undefined) return this.reenter(around, outer, attempt);
    return this.manager.grant(this.holdTarget, this.kind, attempt, options).then((hold) => {
      if (isWhole) hold.handOut();
      return new HoldScope(hold, outer);
    });
  }

  private async reenter(
    around: HoldScope,
    outer: ContextScope | undefined,
    attempt: Attempt,
  ): Promise<HoldScope> {
    const { hold } = around;
    // Lost, its node may still be before ours: waiting would be in vain.
    if (!hold.isHeld() && hold.lossError !== undefined) throw hold.lossError;
    if (hold.target.mode === 'read' && this.mode === 'write') throw upgradeRefused(this.key);
    if (attempt.immediate && around.isEntered) attempt.end('busy'); // reenter() then rejects
    return around.reenter(outer, attempt).catch((error: unknown) => {
      throw new QueueFailure(error, 'inside-own-hold');
    });
  }

  /** Who holds and who waits, the holder first. */
  async contenders(): Promise<Contender[]> {
    return this.manager.contenders(this.key, this.node);
  }

  private declare(attempt: Attempt, { reentrant = true }: AcquireOptions): void {
    attempt.wanted = { family: this.kind.family, mode: this.mode, reentrant };
  }

  private get holdTarget(): HoldTarget {
    return { key: this.key, path: this.node, owner: this.manager, mode: this.mode };
  }
}

/** Two readers that both waited for each other to become a writer would wait for ever; one waits for itself. */
function upgradeRefused(key: string): LockUpgradeError {
  return new LockUpgradeError(
    `The write lock of "${key}" was asked for inside its read lock: it would wait for itself for ever. ` +
      'Take the write lock first (a writer may enter the read lock), or give the read lock back before.',
    { key },
  );
}
