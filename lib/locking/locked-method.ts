import 'reflect-metadata';
import { Inject } from '@nestjs/common';
import { LockConfigError } from '../errors/lock-config.error.js';
import { DistributedLockInterceptor, runByKind } from './distributed-lock.interceptor.js';
import type { LockDecorator, LockPlan } from './lock-plan.js';
import { addLockSite } from './lock-sites.js';
import * as messages from './locking.messages.js';

type Method = (...args: never[]) => unknown;

/** @internal A method that a decorator of ours stands on. */
export interface DecoratedMethod {
  readonly decorator: LockDecorator;
  readonly target: object;
  readonly name: string | symbol;
  readonly descriptor: PropertyDescriptor;
  /** `OrdersService.pay` */
  readonly site: string;
  readonly method: Method;
}

/** @internal The property into which Nest injects the interceptor. It says its name when it cannot. */
export const INTERCEPTOR = Symbol.for('nestjs-zk-lock.interceptor, which ZkLockModule.forRoot(…) provides');

/** The methods behind our proxies: their source has the names of the parameters. */
const originals = new WeakMap<Method, Method>();

/** @internal @throws LockConfigError unless it is a method of an instance. */
export function decoratedMethod(
  decorator: LockDecorator,
  target: object,
  name: string | symbol,
  descriptor: PropertyDescriptor | undefined,
): DecoratedMethod {
  const owner = typeof target === 'function' ? target : target.constructor;
  const site = `${owner.name}.${String(name)}`;
  if (typeof target === 'function') throw new LockConfigError(messages.staticTarget(decorator, site));
  const method: unknown = descriptor?.value;
  if (descriptor === undefined || typeof method !== 'function') {
    throw new LockConfigError(messages.notAMethod(decorator, site));
  }
  return { decorator, target, name, descriptor, site, method: method as Method };
}

/** @internal The method as it was written, without the stand-ins of ours. */
export function originalOf(method: Method): Method {
  return originals.get(method) ?? method;
}

/** @internal Puts a stand-in into the method's place that runs it under the plan. */
export function replaceMethod(
  { decorator, target, name, descriptor, method }: DecoratedMethod,
  plan: LockPlan,
): void {
  const locked = lockedMethod(plan, method);
  originals.set(locked, originalOf(method));
  descriptor.value = locked;
  Inject(DistributedLockInterceptor)(target, INTERCEPTOR);
  addLockSite(target, { decorator, method: name, plan });
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
