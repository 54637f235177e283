import { checkOptions, integers, oneOf, type OptionRule, type OptionRules } from '../errors/check-options.js';
import { LockConfigError } from '../errors/lock-config.error.js';
import { ACQUIRE_RULES, checkHoldMs } from '../recipes/acquire-options-check.js';
import type { DistributedLockOptions } from './distributed-lock.options.js';
import { MODE } from './key-entry.js';
import { STRIPES } from './lock-target.js';
import * as messages from './locking.messages.js';

// The signal of a decorator is a function, its purpose the site.
const { signal: _signal, purpose: _purpose, ...SHARED } = ACQUIRE_RULES;
const FUNCTIONS: OptionRule = { allowed: 'functions', accepts: (value) => typeof value === 'function' };

/** What each option of the decorators may be. */
export const LOCK_RULES: OptionRules<DistributedLockOptions> = {
  ...SHARED,
  connection: {
    allowed: 'non-empty strings',
    accepts: (value) => typeof value === 'string' && value !== '',
  },
  onBusy: {
    allowed: "'throw', 'skip' and functions",
    accepts: (value) => value === 'throw' || value === 'skip' || typeof value === 'function',
  },
  onLost: oneOf('throw', 'abort', 'ignore'),
  stripes: STRIPES,
  permits: integers(1, 2 ** 31 - 1),
  mode: MODE,
  condition: FUNCTIONS,
  signal: FUNCTIONS,
};

/** @throws LockConfigError that names the option, its value and what is allowed. */
export function checkLockOptions(site: string, options: DistributedLockOptions): void {
  locate(site, () => {
    checkOptions(options, LOCK_RULES);
    checkHoldMs(options);
  });
  // Untyped callers write what the types exclude.
  const { mode, permits } = options as { mode?: unknown; permits?: unknown };
  if (mode !== undefined && permits !== undefined) throw new LockConfigError(messages.twoKinds(site));
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
