import 'reflect-metadata';
import { checkOptions, type OptionRules } from '../errors/check-options.js';
import { LockKeyError } from '../errors/lock-key.error.js';
import { ON_SUSPENDED, type OnSuspended } from '../recipes/leader-candidate.js';
import type { DistributedLockOptions } from './distributed-lock.options.js';
import { fillLockKey, toLockKey, type LockKey } from './lock-key.js';
import { locate, LOCK_RULES } from './lock-options-check.js';
import { makeLockPlan } from './lock-plan.js';
import { isLockPath, type LockPath } from './lock-target.js';
import { parseTemplate } from './lock-template.js';
import type { LeaderMethodDecorator } from './lock-verdict.js';
import { decoratedMethod, originalOf, replaceMethod } from './locked-method.js';
import * as messages from './locking.messages.js';
import { ParameterNames } from './parameter-names.js';

/** Options of `@LeaderOnly`. */
export interface LeaderOnlyOptions extends Pick<DistributedLockOptions, 'connection' | 'onLost'> {
  /** What a suspended connection means to the leader: `keep` until the lease deadline, or `step-down`. Default `keep`. */
  onSuspended?: OnSuspended;
}

const RULES: OptionRules<LeaderOnlyOptions> = {
  connection: LOCK_RULES.connection,
  onLost: LOCK_RULES.onLost,
  onSuspended: ON_SUSPENDED,
};

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
  key: string | LockKey | LockPath,
  options?: LeaderOnlyOptions,
): LeaderMethodDecorator;
export function LeaderOnly(key: string | LockKey | LockPath, options: LeaderOnlyOptions = {}) {
  return (target: object, name: string | symbol, descriptor: PropertyDescriptor): void => {
    const decorated = decoratedMethod('LeaderOnly', target, name, descriptor);
    const { decorator, site, method } = decorated;
    locate(site, () => checkOptions(options, RULES));
    const { onSuspended = 'keep', ...others } = options;
    const finished = leaderKey(site, key, new ParameterNames(site, target, name, originalOf(method)));
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

/** The application has to know its elections before the first call: no placeholders, of no syntax. */
function leaderKey(site: string, key: unknown, names: ParameterNames): LockKey | LockPath {
  if (typeof key === 'object' && key !== null && !Array.isArray(key)) {
    return isLockPath(key) ? key : toLockKey(key as LockKey);
  }
  if (typeof key !== 'string') throw new LockKeyError(messages.leaderKeyNotFixed(site, key));
  if (key === '') throw new LockKeyError(messages.keyEmpty());
  const template = parseTemplate(key);
  const hasPlaceholders = template.parts.some((part) => typeof part !== 'string');
  if (hasPlaceholders || names.foreignIn(template) !== undefined) {
    throw new LockKeyError(messages.leaderKeyNotFixed(site, key));
  }
  return fillLockKey(template, () => undefined);
}
