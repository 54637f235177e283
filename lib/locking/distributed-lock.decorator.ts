import 'reflect-metadata';
import type { DistributedLockOptions, LockKeySources } from './distributed-lock.options.js';
import { makeLockPlan } from './lock-plan.js';
import { decoratedMethod, originalOf, replaceMethod } from './locked-method.js';
import type { LockedMethodDecorator } from './lock-verdict.js';
import { ParameterNames } from './parameter-names.js';

/**
 * Runs a method under a distributed lock. The method may return a Promise (locked until it settles), an Observable
 * (from subscribing to its end; annotate the return type, imported as a value) or be an async generator (from the first
 * step to the last). What an Observable is fed from outside runs in the context of whoever emits it: take
 * `currentLock()` where the Observable is made.
 *
 * A key is a template (`'order-pay:<id>'`: `<name>` is a parameter, `<name.path>` a property in it, `<0.path>` the
 * same by position), a key made by `lockKey()`, a path as it is (`{ path: '/curator/orders' }`), or a function of the
 * method's arguments. Several keys are taken all or nothing; `{ key, mode }` in their list takes one side of that key's
 * read/write lock. Inside the method, `currentLock()` is the lock.
 *
 * When it cannot lock, the method does not run: the call fails with the errors of `LockService`.
 * @throws LockConfigError, LockKeyError when the class is loaded, for whatever can be found wrong by then.
 */
export function DistributedLock<const K extends LockKeySources>(key: K): LockedMethodDecorator<K, object>;
export function DistributedLock<const K extends LockKeySources, const O extends DistributedLockOptions>(
  key: K,
  options: O,
): LockedMethodDecorator<K, O>;
export function DistributedLock(key: LockKeySources, options: DistributedLockOptions = {}) {
  return (target: object, name: string | symbol, descriptor: PropertyDescriptor): void =>
    lockMethod(target, name, descriptor, key, options);
}

function lockMethod(
  target: object,
  name: string | symbol,
  descriptor: PropertyDescriptor,
  source: LockKeySources,
  options: DistributedLockOptions,
): void {
  const decorated = decoratedMethod('DistributedLock', target, name, descriptor);
  const { decorator, site, method } = decorated;
  const names = new ParameterNames(site, target, name, originalOf(method));
  const plan = makeLockPlan({
    decorator,
    site,
    method,
    returnType: Reflect.getMetadata('design:returntype', target, name),
    source,
    options,
    readers: (template) => names.readers(template),
  });
  replaceMethod(decorated, plan);
}
