import { isObservable } from 'rxjs';
import { LockConfigError } from '../errors/lock-config.error.js';
import { LockKeyError } from '../errors/lock-key.error.js';
import type { LockTimeoutError } from '../errors/lock-timeout.error.js';
import type { DistributedLockOptions, LockKeySource } from './distributed-lock.options.js';
import type { LeaderPlan } from './leader-plan.js';
import { fillLockKey, toLockKey, type LockKey } from './lock-key.js';
import { checkLockOptions } from './lock-options-check.js';
import type { LockOptions } from './lock.service.js';
import { parseTemplate, type LockTemplate } from './lock-template.js';
import * as messages from './locking.messages.js';
import type { ArgumentReader } from './parameter-names.js';

/** How a method gives its result, and with that when it has ended. */
export type ReturnKind = 'promise' | 'observable' | 'generator';

/** The decorators that lock. */
export type LockDecorator = 'DistributedLock' | 'LockHandler' | 'LeaderOnly';

/** One call of a locked method. */
export interface LockedCall {
  readonly self: unknown;
  readonly args: readonly unknown[];
}

/** What a decorator was told, checked and ready to be run: one per locked method. */
export interface LockPlan {
  /** `OrdersService.pay` */
  readonly site: string;
  readonly kind: ReturnKind;
  /** False when neither the code nor an annotation told the kind, and a Promise is only assumed. */
  readonly kindIsKnown: boolean;
  readonly connection: string | undefined;
  readonly acquire: Readonly<LockOptions>;
  readonly onLost: 'throw' | 'abort' | 'ignore';
  readonly onBusy: 'throw' | 'skip' | 'fallback';
  /** The method runs under a leadership that lasts, or not at all; it takes no lock of its own. */
  readonly leader?: LeaderPlan;
  /** False: this call runs without the lock, because the user wrote so. */
  needsLock(call: LockedCall): boolean;
  /** @throws LockKeyError */
  keys(call: LockedCall): readonly LockKey[];
  signal(call: LockedCall): AbortSignal | undefined;
  /** What takes the method's place with `onBusy: 'fallback'`. */
  fallback(call: LockedCall, error: LockTimeoutError): unknown;
}

/** What a plan is made of. */
export interface LockPlanParts {
  readonly decorator: LockDecorator;
  readonly site: string;
  readonly method: (...args: never[]) => unknown;
  /** `design:returntype`, when it was emitted. */
  readonly returnType: unknown;
  readonly source: LockKeySource | readonly LockKeySource[];
  readonly options: DistributedLockOptions;
  /** Finds the parameters that the placeholders of a key name; throws when there are none. */
  readers(template: LockTemplate): ReadonlyMap<string, ArgumentReader>;
}

// The functions of the options are called with whatever the method is called with: their types were checked there.
type AnyFunction = (this: unknown, ...args: readonly unknown[]) => unknown;
const call = (fn: unknown, { self, args }: LockedCall, ...first: unknown[]): unknown =>
  (fn as AnyFunction).call(self, ...first, ...args);

/** @throws LockConfigError or LockKeyError for whatever can be found wrong before the first call. */
export function makeLockPlan(parts: LockPlanParts): LockPlan {
  const { site, options } = parts;
  checkLockOptions(site, options);
  const { connection, onBusy = 'throw', onLost = 'throw', condition, signal, ...acquire } = options;
  const makers = keyMakers(parts);
  return {
    site,
    ...returnKind(parts),
    connection,
    acquire: { ...acquire, purpose: site },
    onLost,
    onBusy: typeof onBusy === 'function' ? 'fallback' : onBusy,
    needsLock: (of) => condition === undefined || call(condition, of) !== false,
    keys: (of) => allKeys(makers, of),
    signal: (of) => (signal === undefined ? undefined : (call(signal, of) as AbortSignal | undefined)),
    fallback: (of, error) => (typeof onBusy === 'function' ? call(onBusy, of, error) : undefined),
  };
}

type KeyMaker = (call: LockedCall) => readonly LockKey[];

function keyMakers(parts: LockPlanParts): KeyMaker[] {
  const sources: readonly unknown[] = Array.isArray(parts.source) ? parts.source : [parts.source];
  if (sources.length === 0) throw new LockKeyError(messages.noKeys(parts.decorator, parts.site));
  return sources.map((source) => {
    if (typeof source === 'function') {
      return (of) => [call(source, of)].flat().map((key) => toLockKey(key as string | LockKey));
    }
    if (typeof source === 'string' && source !== '') return templateMaker(parts, parseTemplate(source));
    if (typeof source !== 'object') throw new LockKeyError(messages.noKeys(parts.decorator, parts.site));
    const finished = [toLockKey(source as LockKey)];
    return () => finished;
  });
}

function templateMaker(parts: LockPlanParts, template: LockTemplate): KeyMaker {
  const readers = parts.readers(template);
  return ({ args }) => [fillLockKey(template, (root) => readers.get(root)?.(args))];
}

function allKeys(makers: readonly KeyMaker[], of: LockedCall): readonly LockKey[] {
  const keys = makers.flatMap((make) => make(of));
  if (keys.length === 0) throw new LockKeyError(messages.keyListEmpty());
  return keys;
}

const nameOfKind = (fn: unknown): string => Object.prototype.toString.call(fn);

function returnKind({ site, method, returnType }: LockPlanParts): Pick<LockPlan, 'kind' | 'kindIsKnown'> {
  const known = (kind: ReturnKind) => ({ kind, kindIsKnown: true });
  switch (nameOfKind(method)) {
    case '[object AsyncGeneratorFunction]':
      return known('generator');
    case '[object AsyncFunction]':
      return known('promise');
    case '[object GeneratorFunction]':
      throw new LockConfigError(messages.syncGenerator(site));
  }
  const prototype: unknown = typeof returnType === 'function' ? returnType.prototype : undefined;
  if (isObservable(prototype)) return known('observable');
  return { kind: 'promise', kindIsKnown: isThenable(prototype) };
}

function isThenable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'then' in value;
}
