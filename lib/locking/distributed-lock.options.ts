import type { LockTimeoutError } from '../errors/lock-timeout.error.js';
import type { AcquireOptions } from '../recipes/acquire-options.js';
import type { KeyEntry } from './key-entry.js';
import type { LockKey } from './lock-key.js';
import type { LockKeyInput, LockPath } from './lock-target.js';
import type { KeyWithMode, LockKindOptions, StripesOption } from './lock.service.js';

/**
 * A function of the method's arguments. It may be an arrow function or use `this`, the object of the call. Annotate its
 * parameters, `(order: Order) => …`: TypeScript does not take them from the method, but checks that they fit it.
 */
type OfArguments<R> = (...args: never[]) => R;

type OneOrMore<T> = T | readonly T[];

/** What a key function may give: keys as `LockService` takes them, each with a mode of its own if need be. */
export type FunctionKeys = OneOrMore<LockKeyInput | KeyWithMode>;

/**
 * Makes the key, or several, out of the method's arguments. A plain string is encoded as any key is; an undefined that
 * JavaScript wrote into it cannot be seen: `lockKey('order-pay:<id>', { id })` would refuse it.
 */
export type LockKeyFunction = OfArguments<FunctionKeys>;

/** One key: a template with placeholders, a finished key, a path as it is, or a function. */
export type LockKeySource = string | LockKey | LockPath | LockKeyFunction;

/** One key, or several that are taken all or nothing; in a list each may have a mode: `{ key, mode }`. */
export type KeySources<Source> = Source | readonly (Source | KeyEntry<Source>)[];

/** The first argument of `@DistributedLock`. */
export type LockKeySources = KeySources<LockKeySource>;

/** What to do instead when the lock is busy: gets the error, then the arguments of the method. */
export type LockFallback = (error: LockTimeoutError, ...args: never[]) => unknown;

/** What the options of `@DistributedLock` and `@LockHandler` share. Durations are in ms. */
export interface LockDecoratorOptions
  extends
    StripesOption,
    Pick<
      AcquireOptions,
      | 'waitMs'
      | 'attemptMs'
      | 'reentrant'
      | 'minHoldMs'
      | 'maxHoldMs'
      | 'whenUnreachable'
      | 'handoff'
      | 'lingerMs'
      | 'metadata'
    > {
  /** The `connectionName` of the `ZkLockModule` to lock with. Default: the default connection. */
  connection?: string;
  /**
   * What to do when the lock was lost while the method ran: `throw` a `LockLostError` when the method ends, with the
   * method's own error as `cause`; `abort`: reject the call at once, while the method goes on unheard (its node is
   * deleted when it has really ended); or `ignore` the loss and give the method's own result. Default `throw`.
   */
  onLost?: 'throw' | 'abort' | 'ignore';
}

/** Options that look at a call of the method. */
export interface CallOptions {
  /**
   * What to do when the lock is busy until the deadline: `throw` the `LockTimeoutError`; `skip` the call, which then
   * gives undefined, an empty Observable or an empty generator; or a function whose result takes the method's place.
   * Nothing else is ever taken for busy: an unreachable ZooKeeper throws. With `skip`, a call that the application's
   * shutdown keeps from starting is skipped, too. Default `throw`.
   */
  onBusy?: 'throw' | 'skip' | LockFallback;
  /** Says of a call whether it needs the lock: with false the method runs WITHOUT it. Default: every call does. */
  condition?: OfArguments<boolean>;
  /** Gives up the wait of this call when it aborts. Default: none. */
  signal?: OfArguments<AbortSignal | undefined>;
}

/** Options of `@DistributedLock`. A shared count as the number of permits is for the service only: a decorator has none at hand. */
export type DistributedLockOptions = LockDecoratorOptions & CallOptions & LockKindOptions<number>;
