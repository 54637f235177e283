import 'reflect-metadata';
import { Inject } from '@nestjs/common';
import { LockConfigError } from '../errors/lock-config.error.js';
import { DistributedLockInterceptor, runByKind } from './distributed-lock.interceptor.js';
import type {
  DistributedLockOptions,
  LockedMethodDecorator,
  LockKeySource,
} from './distributed-lock.options.js';
import { makeLockPlan, type LockPlan } from './lock-plan.js';
import { addLockSite } from './lock-sites.js';
import * as messages from './locking.messages.js';
import { ParameterNames } from './parameter-names.js';

type Method = (...args: never[]) => unknown;
type OneOrMoreKeys = LockKeySource | readonly LockKeySource[];

/** @internal The property into which Nest injects the interceptor. */
export const INTERCEPTOR = Symbol.for('nestjs-zk-lock.interceptor');

/** The methods behind our proxies: their source has the names of the parameters. */
const originals = new WeakMap<Method, Method>();

/**
 * Runs a method under a distributed lock. The method may return a Promise (locked until it settles), an Observable
 * (from subscribing to its end; annotate the return type, imported as a value) or be an async generator (from the first
 * step to the last). What an Observable is fed from outside runs in the context of whoever emits it: take
 * `currentLock()` where the Observable is made.
 *
 * A key is a template (`'order-pay:<id>'`: `<name>` is a parameter, `<name.path>` a property in it, `<0.path>` the
 * same by position), a key made by `lockKey()`, or a function of the method's arguments. Several keys are taken all or
 * nothing. Inside the method, `currentLock()` is the lock.
 *
 * When it cannot lock, the method does not run: the call fails with the errors of `LockService`.
 * @throws LockConfigError, LockKeyError when the class is loaded, for whatever can be found wrong by then.
 */
export function DistributedLock<const K extends OneOrMoreKeys>(key: K): LockedMethodDecorator<K, object>;
export function DistributedLock<const K extends OneOrMoreKeys, const O extends DistributedLockOptions>(
  key: K,
  options: O,
): LockedMethodDecorator<K, O>;
export function DistributedLock(key: OneOrMoreKeys, options: DistributedLockOptions = {}) {
  return (target: object, name: string | symbol, descriptor: PropertyDescriptor): void =>
    lockMethod(target, name, descriptor, key, options);
}

function lockMethod(
  target: object,
  name: string | symbol,
  descriptor: PropertyDescriptor,
  source: OneOrMoreKeys,
  options: DistributedLockOptions,
): void {
  const decorator = 'DistributedLock';
  const { site, method } = decoratedMethod(decorator, target, name, descriptor);
  const names = new ParameterNames(site, target, name, originals.get(method) ?? method);
  const plan = makeLockPlan({
    decorator,
    site,
    method,
    returnType: Reflect.getMetadata('design:returntype', target, name),
    source,
    options,
    readers: (template) => names.readers(template),
  });
  const locked = lockedMethod(plan, method);
  originals.set(locked, originals.get(method) ?? method);
  descriptor.value = locked;
  Inject(DistributedLockInterceptor)(target, INTERCEPTOR);
  addLockSite(target, { decorator, method: name, plan });
}

/** @internal @throws LockConfigError unless it is a method of an instance. */
export function decoratedMethod(
  decorator: 'DistributedLock' | 'LockHandler',
  target: object,
  name: string | symbol,
  descriptor: PropertyDescriptor | undefined,
): { site: string; method: Method } {
  const owner = typeof target === 'function' ? target : target.constructor;
  const site = `${owner.name}.${String(name)}`;
  if (typeof target === 'function') throw new LockConfigError(messages.staticTarget(decorator, site));
  const method: unknown = descriptor?.value;
  if (typeof method !== 'function') throw new LockConfigError(messages.notAMethod(decorator, site));
  return { site, method: method as Method };
}

/** A stand-in that has the name, the length and all metadata of the method: routes, cron jobs and Swagger look at these. */
function lockedMethod(plan: LockPlan, method: Method): Method {
  const locked = new Proxy(method, {
    apply(target, self: { [INTERCEPTOR]?: DistributedLockInterceptor } | undefined, args: unknown[]) {
      const proceed = (): unknown => Reflect.apply(target, self, args);
      const interceptor = self?.[INTERCEPTOR];
      if (interceptor !== undefined) return interceptor.around(plan, { self, args }, proceed);
      const refusal = new LockConfigError(messages.interceptorMissing(plan.site));
      return runByKind({ plan, proceed, enter: () => Promise.reject(refusal) });
    },
  });
  for (const key of Reflect.getOwnMetadataKeys(method)) {
    Reflect.defineMetadata(key, Reflect.getOwnMetadata(key, method), locked);
  }
  return locked;
}
