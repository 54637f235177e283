import type { AcquireOptions } from './acquire-options.js';
import type { Attempt } from './attempt.js';
import type { Contender } from './contender.js';
import type { HeldLock } from './held-lock.js';
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
import { exclusive } from './queue-rules.js';

/** Which lock: its key for people, its node's name for ZooKeeper. */
export interface LockTarget {
  readonly text: string;
  readonly nodeName: string;
}

const MUTEX: LockKind = { mark: 'lock-', marks: ['lock-'], rule: exclusive };

/** One key's mutex, on the nodes of Curator's InterProcessMutex. It has no state of its own: make as many as you like. */
export class Mutex extends LockRecipe {
  readonly path: string;

  constructor(
    private readonly manager: LockManager,
    private readonly target: LockTarget,
  ) {
    super();
    this.path = manager.pathOf(target.nodeName);
  }

  get key(): string {
    return this.target.text;
  }

  override async acquire(options: AcquireOptions = {}): Promise<HeldLock> {
    return this.manager.attempt(this.key, options, async (attempt) => {
      const hold = await this.manager.grant(this.holdTarget, MUTEX, attempt, options);
      return new LockHandle(hold, () => hold.release());
    });
  }

  /** @internal */
  override async enter(options: AcquireOptions = {}): Promise<LockScope> {
    return this.manager.attempt(this.key, options, (attempt) =>
      this.enterIn(currentScope(), attempt, options),
    );
  }

  /** @internal Enters within somebody's attempt, as the innermost scope of `outer`. */
  async enterIn(
    outer: ContextScope | undefined,
    attempt: Attempt,
    options: AcquireOptions,
  ): Promise<HoldScope> {
    const around = options.reentrant === false ? undefined : enclosingScope(this.path);
    if (around === undefined) {
      return new HoldScope(await this.manager.grant(this.holdTarget, MUTEX, attempt, options), outer);
    }
    const { hold } = around;
    // Lost, its node may still be before ours: waiting would be in vain.
    if (!hold.isHeld() && hold.lossError !== undefined) throw hold.lossError;
    if (attempt.immediate && around.isEntered) attempt.end('busy'); // reenter() then rejects
    return around.reenter(outer, attempt).catch((error: unknown) => {
      throw new QueueFailure(error, 'inside-own-hold');
    });
  }

  /** Who holds and who waits, the holder first. */
  async contenders(): Promise<Contender[]> {
    return this.manager.contenders(this.key, this.path, MUTEX.marks);
  }

  private get holdTarget(): { key: string; path: string; mode: 'exclusive' } {
    return { key: this.key, path: this.path, mode: 'exclusive' };
  }
}
