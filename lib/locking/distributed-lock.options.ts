import type { Observable } from 'rxjs';
import type { LockTimeoutError } from '../errors/lock-timeout.error.js';
import type { AcquireOptions } from '../recipes/acquire-options.js';
import type { LockKey } from './lock-key.js';
import type { ReadWriteMode } from './lock.service.js';

/**
 * A function of the method's arguments. It may be an arrow function or use `this`, the object of the call. Annotate its
 * parameters, `(order: Order) => …`: TypeScript does not take them from the method, but checks that they fit it.
 */
type OfArguments<R> = (...args: never[]) => R;

/**
 * Makes the key, or several, out of the method's arguments. A plain string is encoded as any key is; an undefined that
 * JavaScript wrote into it cannot be seen: `lockKey('order-pay:<id>', { id })` would refuse it.
 */
export type LockKeyFunction = OfArguments<string | LockKey | readonly (string | LockKey)[]>;

/** One key: a template with placeholders, a finished key, or a function. */
export type LockKeySource = string | LockKey | LockKeyFunction;

/** What to do instead when the lock is busy: gets the error, then the arguments of the method. */
export type LockFallback = (error: LockTimeoutError, ...args: never[]) => unknown;

/** Options of `@DistributedLock` and `@LockHandler`. Durations are in ms. */
export interface DistributedLockOptions extends Pick<
  AcquireOptions,
  'waitMs' | 'attemptMs' | 'reentrant' | 'minHoldMs' | 'maxHoldMs' | 'whenUnreachable' | 'metadata'
> {
  /** Takes the read or the write lock of the key(s). Default: a key is a mutex. */
  mode?: ReadWriteMode;
  /** Maps the keys of one beginning to so many nodes; see `LockOptions.stripes`. 1 to 65,536. Default: a node for each key. */
  stripes?: number;
  /** Takes one permit of the semaphore of the key, which has so many. Default: a key is a mutex. */
  permits?: number;
  /** The `connectionName` of the `ZkLockModule` to lock with. Default: the default connection. */
  connection?: string;
  /**
   * What to do when the lock is busy until the deadline: `throw` the `LockTimeoutError`; `skip` the call, which then
   * gives undefined, an empty Observable or an empty generator; or a function whose result takes the method's place.
   * Nothing else is ever taken for busy: an unreachable ZooKeeper throws. With `skip`, a call that the application's
   * shutdown keeps from starting is skipped, too. Default `throw`.
   */
  onBusy?: 'throw' | 'skip' | LockFallback;
  /**
   * What to do when the lock was lost while the method ran: `throw` a `LockLostError` when the method ends, with the
   * method's own error as `cause`; `abort`: reject the call at once, while the method goes on unheard (its node is
   * deleted when it has really ended); or `ignore` the loss and give the method's own result. Default `throw`.
   */
  onLost?: 'throw' | 'abort' | 'ignore';
  /** Says of a call whether it needs the lock: with false the method runs WITHOUT it. Default: every call does. */
  condition?: OfArguments<boolean>;
  /** Gives up the wait of this call when it aborts. Default: none. */
  signal?: OfArguments<AbortSignal | undefined>;
}

/** What a locked method may return: what ends at a time that can be seen from outside. */
export type LockableResult =
  Promise<unknown> | Observable<unknown> | (AsyncIterable<unknown> & { pipe?: never });

/** A method that can be locked. */
export type LockableMethod = (...args: never[]) => LockableResult;

/** A compile-time error whose text is its type. */
export interface LockTypeError<Message extends string> {
  readonly lockTypeError: Message;
}

type Callable = (...args: never[]) => unknown;

/** What a fallback for a method may return: a promise may be left out. */
type FallbackResult<R> = R extends Promise<infer T> ? T | Promise<T> : R;

type Fits<F, Target, M extends LockableMethod> = F extends Callable
  ? F extends (this: Target, ...args: Parameters<M>) => unknown
    ? true
    : false
  : true;

/** Functions take the place of these only where their parameters are not annotated, or typed as wide as ours. */
type Unknowing = (first: never, ...rest: never[]) => never;
type UnknowingFallback = (error: LockTimeoutError, first: never, ...rest: never[]) => never;

/** Never when nothing is known of the value that could be checked. */
type Known<Value, Probe> = Probe extends Value ? never : Value;

type KeysFit<K, Target, M extends LockableMethod> = K extends readonly (infer One)[]
  ? Fits<Known<One, Unknowing>, Target, M>
  : Fits<Known<K, Unknowing>, Target, M>;

type BusyFits<B, Target, M extends LockableMethod> = B extends 'skip'
  ? ReturnType<M> extends Promise<infer T>
    ? undefined extends T
      ? true
      : false
    : true
  : B extends Callable
    ? B extends (
        this: Target,
        error: LockTimeoutError,
        ...args: Parameters<M>
      ) => FallbackResult<ReturnType<M>>
      ? true
      : false
    : true;

type Option<O, Name extends keyof DistributedLockOptions, Probe = Unknowing> = Name extends keyof O
  ? Known<O[Name], Probe>
  : never;

/** `unknown` when key and options fit the method, else what is wrong with them. */
type LockVerdict<K, O, Target, M extends LockableMethod> = Target extends
  Callable | (abstract new (...args: never[]) => unknown)
  ? LockTypeError<'a static method cannot be locked'>
  : false extends KeysFit<K, Target, M>
    ? LockTypeError<'the key function does not take the parameters of the method'>
    : Exclude<keyof O, keyof DistributedLockOptions> extends never
      ? false extends Fits<Option<O, 'condition'>, Target, M>
        ? LockTypeError<'option condition does not take the parameters of the method'>
        : false extends Fits<Option<O, 'signal'>, Target, M>
          ? LockTypeError<'option signal does not take the parameters of the method'>
          : false extends BusyFits<Option<O, 'onBusy', UnknowingFallback>, Target, M>
            ? LockTypeError<'option onBusy does not fit the method: what it gives must be what the method may return'>
            : unknown
      : LockTypeError<'there is no such option'>;

/** A decorator that only stands on methods which the key and the options fit. */
export interface LockedMethodDecorator<K, O> {
  <Target extends object, M extends LockableMethod>(
    target: Target,
    name: string | symbol,
    descriptor: TypedPropertyDescriptor<M> & LockVerdict<K, O, Target, M>,
  ): void;
  /**
   * Never called so. It makes this a `MethodDecorator`, for `applyDecorators` and functions that make decorators: of the
   * method that it will stand on nothing is known there, so nothing is checked.
   */
  (): void;
}
