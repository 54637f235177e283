import type { Observable } from 'rxjs';
import type { LockTimeoutError } from '../errors/lock-timeout.error.js';
import type { DistributedLockOptions } from './distributed-lock.options.js';
import type { KeyEntry } from './key-entry.js';

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

/** What the key of an entry is made of. */
type SourceOf<Entry> = Entry extends KeyEntry<infer Source> ? Source : Entry;

type KeysFit<K, Target, M extends LockableMethod> = K extends readonly (infer One)[]
  ? Fits<Known<SourceOf<One>, Unknowing>, Target, M>
  : Fits<Known<K, Unknowing>, Target, M>;

/** Several keys have no permits in common. */
type PermitsFit<K, O> = K extends readonly [unknown, unknown, ...unknown[]]
  ? O extends { readonly permits: number }
    ? false
    : true
  : true;

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

type Static = Callable | (abstract new (...args: never[]) => unknown);
type StaticMethod = LockTypeError<'a static method cannot be locked'>;

/** `unknown` when key and options fit the method, else what is wrong with them. */
type LockVerdict<K, O, Target, M extends LockableMethod> = Target extends Static
  ? StaticMethod
  : false extends KeysFit<K, Target, M>
    ? LockTypeError<'the key function does not take the parameters of the method'>
    : Exclude<keyof O, keyof DistributedLockOptions> extends never
      ? false extends Fits<Option<O, 'condition'>, Target, M>
        ? LockTypeError<'option condition does not take the parameters of the method'>
        : false extends Fits<Option<O, 'signal'>, Target, M>
          ? LockTypeError<'option signal does not take the parameters of the method'>
          : false extends BusyFits<Option<O, 'onBusy', UnknowingFallback>, Target, M>
            ? LockTypeError<'option onBusy does not fit the method: what it gives must be what the method may return'>
            : false extends PermitsFit<K, O>
              ? LockTypeError<'option permits goes with one key: several keys cannot be one semaphore'>
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

type LeaderVerdict<Target, M extends LockableMethod> = Target extends Static
  ? StaticMethod
  : false extends BusyFits<'skip', Target, M>
    ? LockTypeError<'a call of @LeaderOnly that is skipped gives undefined: the result must allow it'>
    : unknown;

/** What `@LeaderOnly` gives: as `LockedMethodDecorator`. */
export interface LeaderMethodDecorator {
  <Target extends object, M extends LockableMethod>(
    target: Target,
    name: string | symbol,
    descriptor: TypedPropertyDescriptor<M> & LeaderVerdict<Target, M>,
  ): void;
  (): void;
}
