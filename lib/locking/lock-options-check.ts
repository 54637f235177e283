import { checkOptions, integers, oneOf, type OptionRule, type OptionRules } from '../errors/check-options.js';
import { LockConfigError } from '../errors/lock-config.error.js';
import { MAX_MS } from '../recipes/acquire-options-check.js';
import type { DistributedLockOptions } from './distributed-lock.options.js';
import * as messages from './locking.messages.js';

const duration = (min: number): OptionRule => integers(min, MAX_MS, ' (milliseconds)');
const FUNCTIONS: OptionRule = { allowed: 'functions', accepts: (value) => typeof value === 'function' };

/** What each option of the decorators may be. */
export const LOCK_RULES: OptionRules<DistributedLockOptions> = {
  waitMs: duration(0),
  attemptMs: duration(1),
  minHoldMs: duration(0),
  maxHoldMs: duration(1),
  reentrant: oneOf(true, false),
  metadata: {
    allowed: 'objects',
    accepts: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  },
  connection: {
    allowed: 'non-empty strings',
    accepts: (value) => typeof value === 'string' && value !== '',
  },
  onBusy: {
    allowed: "'throw', 'skip' and functions",
    accepts: (value) => value === 'throw' || value === 'skip' || typeof value === 'function',
  },
  onLost: oneOf('throw', 'abort', 'ignore'),
  stripes: integers(1, 65_536),
  permits: integers(1, 2 ** 31 - 1),
  mode: oneOf('read', 'write'),
  whenUnreachable: oneOf('fail', 'local'),
  condition: FUNCTIONS,
  signal: FUNCTIONS,
};

/** @throws LockConfigError that names the option, its value and what is allowed. */
export function checkLockOptions(site: string, options: DistributedLockOptions): void {
  locate(site, () => checkOptions(options, LOCK_RULES));
  const { minHoldMs = 0, maxHoldMs = Infinity } = options;
  // Untyped callers write what the types exclude.
  const { mode, permits } = options as { mode?: unknown; permits?: unknown };
  if (mode !== undefined && permits !== undefined) throw new LockConfigError(messages.twoKinds(site));
  if (minHoldMs > maxHoldMs) {
    throw new LockConfigError(messages.holdsTooShort(site, minHoldMs, maxHoldMs));
  }
}

/** Says of a LockConfigError where in the code of the user it comes from. */
export function locate<T>(site: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof LockConfigError)) throw error;
    throw new LockConfigError(messages.at(site, error.message), { cause: error });
  }
}
