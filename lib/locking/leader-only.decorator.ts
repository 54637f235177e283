import 'reflect-metadata';
import { LockConfigError } from '../errors/lock-config.error.js';
import { LockKeyError } from '../errors/lock-key.error.js';
import { nearestName } from '../errors/nearest-name.js';
import type { OnSuspended } from '../recipes/leader-candidate.js';
import type { DistributedLockOptions, LockedMethodDecorator } from './distributed-lock.options.js';
import { fillLockKey, toLockKey, type LockKey } from './lock-key.js';
import { refuseNoObject } from './lock-options-check.js';
import { makeLockPlan } from './lock-plan.js';
import { parseTemplate } from './lock-template.js';
import { decoratedMethod, replaceMethod } from './locked-method.js';
import * as messages from './locking.messages.js';

/** Options of `@LeaderOnly`. */
export interface LeaderOnlyOptions extends Pick<DistributedLockOptions, 'connection' | 'onLost'> {
  /** What a suspended connection means to the leader: `keep` until the lease deadline, or `step-down`. Default `keep`. */
  onSuspended?: OnSuspended;
}

const OPTIONS = ['connection', 'onLost', 'onSuspended'] satisfies (keyof LeaderOnlyOptions)[];
const POLICIES: readonly unknown[] = ['keep', 'step-down', undefined] satisfies (OnSuspended | undefined)[];

/**
 * Runs a method only in the process that leads the election of the key; elsewhere the call is skipped at once: it gives
 * undefined (which the type of the result has to allow), an empty Observable or an empty generator. The application
 * takes part in the election from its bootstrap to its shutdown, once per key and connection, whatever the number of
 * methods; these run side by side.
 *
 * Inside, `currentLock()` is the leadership, with its fencing token and signal; nobody else leads until the method has
 * ended, unless leadership is lost: then `onLost` says what the call gives.
 * @throws LockConfigError, LockKeyError when the class is loaded, for whatever can be found wrong by then.
 */
export function LeaderOnly(
  key: string | LockKey,
  options?: LeaderOnlyOptions,
): LockedMethodDecorator<string, { onBusy: 'skip' }>;
export function LeaderOnly(key: string | LockKey, options: LeaderOnlyOptions = {}) {
  return (target: object, name: string | symbol, descriptor: PropertyDescriptor): void => {
    const decorated = decoratedMethod('LeaderOnly', target, name, descriptor);
    const { decorator, site, method } = decorated;
    const { onSuspended = 'keep', ...others } = checkOptions(site, options);
    const finished = leaderKey(site, key);
    const plan = makeLockPlan({
      decorator,
      site,
      method,
      returnType: Reflect.getMetadata('design:returntype', target, name),
      source: finished,
      options: { ...others, onBusy: 'skip' },
      readers: () => new Map(),
    });
    replaceMethod(decorated, { ...plan, leader: { site, key: finished, onSuspended } });
  };
}

function checkOptions(site: string, options: LeaderOnlyOptions): LeaderOnlyOptions {
  refuseNoObject(site, options);
  for (const name of Object.keys(options)) {
    if ((OPTIONS as string[]).includes(name)) continue;
    throw new LockConfigError(messages.unknownOption(site, name, OPTIONS, nearestName(name, OPTIONS)));
  }
  if (POLICIES.includes(options.onSuspended)) return options;
  throw new LockConfigError(
    messages.badOption(site, 'onSuspended', options.onSuspended, "'keep' or 'step-down'"),
  );
}

/** The application has to know its elections before the first call: no placeholders. */
function leaderKey(site: string, key: unknown): LockKey {
  if (typeof key !== 'string') {
    if (typeof key === 'object' && key !== null && !Array.isArray(key)) return toLockKey(key as LockKey);
    throw new LockKeyError(messages.leaderKeyNotFixed(site));
  }
  if (key === '') throw new LockKeyError(messages.keyEmpty());
  const template = parseTemplate(key);
  if (template.parts.some((part) => typeof part !== 'string')) {
    throw new LockKeyError(messages.leaderKeyNotFixed(site));
  }
  return fillLockKey(template, () => undefined);
}
