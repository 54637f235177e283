import { hostname } from 'node:os';
import { Injectable } from '@nestjs/common';
import { checkListener, checkOption, checkOptions, type OptionRules } from '../errors/check-options.js';
import { LockConfigError } from '../errors/lock-config.error.js';
import { askForRelease } from '../recipes/ask-for-release.js';
import type { AcquireOptions } from '../recipes/acquire-options.js';
import { ACQUIRE_RULES, checkAcquireOptions, SHORT_TEXT } from '../recipes/acquire-options-check.js';
import type { Contender } from '../recipes/contender.js';
import type { HeldLock } from '../recipes/held-lock.js';
import type { LeaderElectionOptions } from '../recipes/leader-candidate.js';
import { LeaderElection } from '../recipes/leader-election.js';
import type { FallbackChange } from '../recipes/local-fallback.js';
import type { LockScope } from '../recipes/lock-context.js';
import type { LockRecipe } from '../recipes/lock-recipe.js';
import { promised } from '../recipes/promised.js';
import { LockManager, type LockStats } from '../recipes/lock-manager.js';
import { MultiLock } from '../recipes/multi-lock.js';
import { Mutex } from '../recipes/mutex.js';
import { QueueLock } from '../recipes/queue-lock.js';
import { ReadWriteLock } from '../recipes/read-write-lock.js';
import { Semaphore, SIZE } from '../recipes/semaphore.js';
import { SharedCount } from '../recipes/shared-count.js';
import { MODE, readKeyEntry, type KeyEntry } from './key-entry.js';
import { lockKey } from './lock-key.js';
import { lockTarget, STRIPES, type LockKeyInput } from './lock-target.js';
import * as messages from './locking.messages.js';

/** Which side of a read/write lock; without it a key is a mutex. */
export type ReadWriteMode = 'read' | 'write';

/** A key is one kind of lock: a mutex, one side of a read/write lock, or a semaphore. */
export type LockKindOptions<Permits> = ReadWriteOptions | SemaphoreOptions<Permits>;

interface ReadWriteOptions {
  /** Takes the read or the write lock of the key. Default: the key is a mutex. */
  mode?: ReadWriteMode;
  permits?: undefined;
}

interface SemaphoreOptions<Permits> {
  /** Takes one permit of a semaphore that has so many. Default: the key is a mutex. */
  permits?: Permits;
  mode?: undefined;
}

/** Of keys that share nodes. For `contenders` and `requestRelease`: the number that the key was locked with. */
export interface StripesOption {
  /**
   * Maps the keys of one beginning (up to the first `:`) to so many nodes by a stable hash, so that unbounded keys need
   * a bounded number of nodes; keys that meet in one exclude each other. 1 to 65,536. Default: a node for each key.
   */
  stripes?: number;
}

export type LockOptions = AcquireOptions & StripesOption & LockKindOptions<number | SharedCount>;

/** A key of a multi-lock that is not a mutex; a path is `{ key: { path }, mode }`. */
export type KeyWithMode = KeyEntry<LockKeyInput>;

/** One part of a multi-lock: a key, which is a mutex; a key with its mode; or a mutex, a read lock or a write lock. */
export type MultiLockPart = LockKeyInput | KeyWithMode | QueueLock;

const RULES: OptionRules<LockOptions> = { ...ACQUIRE_RULES, mode: MODE, permits: SIZE, stripes: STRIPES };

/**
 * Locks by hand. Every method takes a plain key or one made by `lockKey()`; all options are those of `AcquireOptions`.
 *
 * All of them reject with `LockTimeoutError` (busy until the deadline), `LockConnectionError` (ZooKeeper could not be
 * asked within the deadline), `LockAbortedError` (`signal`), `LockAccessError` (not allowed), `LockKeyError`,
 * `LockConfigError`, `LockSequenceError` or `LockShutdownError`.
 */
@Injectable()
export class LockService {
  constructor(private readonly manager: LockManager) {}

  /** Waits for the lock, first come first served over all processes. Give it back with `release()` or `await using`. */
  acquire(key: LockKeyInput, options?: LockOptions): Promise<HeldLock> {
    return promised(() => {
      const own = acquireOptions(options);
      return this.recipeFor(key, options).acquire(own);
    });
  }

  /** null when somebody else has it (by default at once: `waitMs` 0); every other failure throws. */
  async tryAcquire(key: LockKeyInput, options?: LockOptions): Promise<HeldLock | null> {
    const own = acquireOptions(options);
    return this.recipeFor(key, options).tryAcquire(own);
  }

  /**
   * Runs `body` under the lock of one key or of several (all or nothing), and gives it back, whatever happens. Inside,
   * the same key can be entered again, and `currentLock()` finds the lock.
   * @throws LockLostError when the lock was lost while `body` ran; `cause` is the body's own error, if any.
   */
  withLock<T>(
    keys: LockKeyInput | readonly (LockKeyInput | KeyWithMode)[],
    body: (lock: HeldLock) => T | PromiseLike<T>,
    options?: LockOptions,
  ): Promise<T> {
    return promised(() => {
      const own = acquireOptions(options);
      // Not after the wait: then the lock would have been taken for nothing.
      if (typeof body !== 'function') throw new LockConfigError(messages.bodyNotAFunction(body));
      return this.lockOf(keys, options).run(body, own);
    });
  }

  /** The mutex of one key, for those who use it often. It holds nothing and needs no closing. */
  mutex(key: LockKeyInput): Mutex {
    return new Mutex(this.manager, lockTarget(key));
  }

  /** The read/write lock of one key. It holds nothing and needs no closing. */
  readWriteLock(key: LockKeyInput): ReadWriteLock {
    return new ReadWriteLock(this.manager, lockTarget(key));
  }

  /**
   * The semaphore of one key: at most `permits` holders at a time. A shared count can be changed while it is in use.
   * All processes must agree on the number.
   */
  semaphore(key: LockKeyInput, permits: number | SharedCount): Semaphore {
    return new Semaphore(this.manager, lockTarget(key), permits);
  }

  /** A number that all processes see, for semaphores whose size changes. It is a node like a lock's: give it a key of its own. */
  sharedCount(key: LockKeyInput): SharedCount {
    const { text, nodeName } = lockTarget(key);
    return new SharedCount(this.manager, text, nodeName);
  }

  /**
   * A new candidate in the election of a key, which takes no part until it is started or run. Close it in the end: the
   * next one leads at once then.
   */
  leaderElection(key: LockKeyInput, options?: LeaderElectionOptions): LeaderElection {
    return new LeaderElection(this.manager, lockTarget(key), options);
  }

  /**
   * Several keys as one lock: all or nothing, one deadline, no deadlock whatever the order. Each key is a mutex unless
   * it says its mode; keys that meet in one node are taken once, in the stronger mode. Semaphores cannot be part of it.
   */
  multiLock(keys: readonly MultiLockPart[]): MultiLock {
    if (!Array.isArray(keys)) throw new LockConfigError(messages.keysNotAList(keys));
    return new MultiLock(
      this.manager,
      keys.map((part: MultiLockPart) => this.partOf(part)),
    );
  }

  /** Many keys `<name>:<value>` on few nodes: `striped('order-pay', 64).get('42')` is the mutex that 42 shares with others. */
  striped(name: string, stripes: number): { get(value: string | number | bigint): Mutex } {
    checkOption('stripes', stripes, STRIPES);
    return {
      get: (value) =>
        new Mutex(this.manager, lockTarget(lockKey('<name>:<value>', { name, value }), stripes)),
    };
  }

  /** Who holds the lock and who waits for it, in order, whatever kind it is; empty when nobody does. */
  async contenders(key: LockKeyInput, options: StripesOption = {}): Promise<Contender[]> {
    checkOptions(options, { stripes: STRIPES });
    return this.queueFor(key, options).contenders();
  }

  /**
   * Asks whoever holds the lock to let go: a holder of this library hears it by `lock.on('release-requested', …)`, one of
   * Curator by its RevocationListener. Whether it does is its decision. Resolves to how many holders were asked; one that
   * has several permits is one. The reason has at most 1,024 bytes.
   */
  async requestRelease(
    key: LockKeyInput,
    options: StripesOption & { reason?: string } = {},
  ): Promise<number> {
    checkOptions(options, { reason: SHORT_TEXT, stripes: STRIPES });
    const { reason, stripes } = options;
    const { text, nodeName } = lockTarget(key, stripes);
    const request = { reason, by: `${hostname()} pid ${process.pid}` };
    return askForRelease(this.manager, { key: text, path: this.manager.pathOf(nodeName) }, request);
  }

  /** @internal What the decorator stands on: the scope of one key or of several. */
  async enter(keys: readonly KeyWithMode[], options?: LockOptions): Promise<LockScope> {
    const own = acquireOptions(options);
    return this.lockOf(keys, options).enter(own);
  }

  /** How many locks this connection holds, and how many calls wait for one. */
  stats(): LockStats {
    return this.manager.stats();
  }

  /** Whether locks with `whenUnreachable: 'local'` are degraded now, and how many are held so. */
  degraded(): { active: boolean; held: number } {
    return this.manager.degraded();
  }

  /** Calls the listener when degraded operation begins or ends; the returned function takes it away. */
  on(event: 'degraded', listener: (change: FallbackChange) => void): () => void {
    checkListener(event, ['degraded'], listener);
    return this.manager.fallback.onChange(listener);
  }

  private lockOf(
    keys: LockKeyInput | readonly (LockKeyInput | KeyWithMode)[],
    options: LockOptions = {},
  ): LockRecipe {
    if (!Array.isArray(keys)) return this.recipeFor(keys as LockKeyInput, options);
    const entries = (keys as readonly LockKeyInput[]).map((entry) => readKeyEntry<LockKeyInput>(entry));
    const [only, second] = entries;
    if (only !== undefined && second === undefined) {
      return this.recipeFor(only.key, { ...options, mode: only.mode ?? options.mode });
    }
    if (options.permits !== undefined) {
      throw new LockConfigError('Option "permits" goes with one key; several keys cannot be one semaphore.');
    }
    return new MultiLock(
      this.manager,
      entries.map(({ key, mode = options.mode }) => this.queueFor(key, { ...options, mode })),
    );
  }

  private recipeFor(key: LockKeyInput, options: KeyOptions = {}): LockRecipe {
    if (options.permits === undefined) return this.queueFor(key, options);
    if (options.mode === undefined) {
      return new Semaphore(this.manager, lockTarget(key, options.stripes), options.permits);
    }
    throw new LockConfigError('Options "mode" and "permits" exclude each other: they are two kinds of lock.');
  }

  private queueFor(key: LockKeyInput, { mode, stripes }: KeyOptions = {}): QueueLock {
    const target = lockTarget(key, stripes);
    switch (mode) {
      case undefined:
        return new Mutex(this.manager, target);
      case 'read':
        return new ReadWriteLock(this.manager, target).read;
      case 'write':
        return new ReadWriteLock(this.manager, target).write;
    }
  }

  private partOf(part: MultiLockPart): QueueLock {
    if (part instanceof QueueLock) return part;
    const { key, mode } = readKeyEntry<LockKeyInput>(part);
    return this.queueFor(key, { mode });
  }
}

/** The options that say which lock a key is; their being one kind is checked here. */
interface KeyOptions extends StripesOption {
  mode?: ReadWriteMode;
  permits?: number | SharedCount;
}

/** What is left for the recipe itself: there, `permits` would be how many are wanted. */
function acquireOptions(options: LockOptions = {}): AcquireOptions {
  checkAcquireOptions(options, RULES);
  if (!('mode' in options || 'permits' in options || 'stripes' in options)) return options;
  const { mode: _mode, permits: _permits, stripes: _stripes, ...rest } = options;
  return rest;
}
