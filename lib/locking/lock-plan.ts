import { isObservable } from 'rxjs';
import { LockConfigError } from '../errors/lock-config.error.js';
import type { LockTimeoutError } from '../errors/lock-timeout.error.js';
import type { DistributedLockOptions } from './distributed-lock.options.js';
import type { LeaderPlan } from './leader-plan.js';
import { checkLockOptions } from './lock-options-check.js';
import { callWith, planKeys, type KeyParts, type LockedCall } from './lock-plan-keys.js';
import type { KeyWithMode, LockOptions } from './lock.service.js';
import * as messages from './locking.messages.js';

/** How a method gives its result, and with that when it has ended. */
export type ReturnKind = 'promise' | 'observable' | 'generator';

/** The decorators that lock. */
export type LockDecorator = 'DistributedLock' | 'LockHandler' | 'LeaderOnly';

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
  /** @throws LockKeyError, LockConfigError */
  keys(call: LockedCall): readonly KeyWithMode[];
  signal(call: LockedCall): AbortSignal | undefined;
  /** What takes the method's place with `onBusy: 'fallback'`. */
  fallback(call: LockedCall, error: LockTimeoutError): unknown;
}

/** What a plan is made of. */
export interface LockPlanParts extends KeyParts {
  readonly method: (...args: never[]) => unknown;
  /** `design:returntype`, when it was emitted. */
  readonly returnType: unknown;
  readonly options: DistributedLockOptions;
}

/** @throws LockConfigError or LockKeyError for whatever can be found wrong before the first call. */
export function makeLockPlan(parts: LockPlanParts): LockPlan {
  const { site, options } = parts;
  checkLockOptions(site, options);
  const { connection, onBusy = 'throw', onLost = 'throw', condition, signal, ...acquire } = options;
  return {
    site,
    ...returnKind(parts),
    connection,
    acquire: { ...acquire, purpose: site },
    onLost,
    onBusy: typeof onBusy === 'function' ? 'fallback' : onBusy,
    needsLock: (of) => condition === undefined || callWith(condition, of) !== false,
    keys: planKeys(parts),
    signal: (of) => (signal === undefined ? undefined : (callWith(signal, of) as AbortSignal | undefined)),
    fallback: (of, error) => (typeof onBusy === 'function' ? callWith(onBusy, of, error) : undefined),
  };
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
