import { checkOptions, integers, oneOf, type OptionRule, type OptionRules } from '../errors/check-options.js';
import { LockConfigError } from '../errors/lock-config.error.js';
import type { AcquireOptions } from './acquire-options.js';
import { HANDOFF_ALLOWED, isHandoff } from './handoff-options.js';

/** The longest delay that a timer can have. */
export const MAX_MS = 2 ** 31 - 1;
const MAX_TEXT_BYTES = 1_024;

/** A text that others read: a purpose, a reason. */
export const SHORT_TEXT: OptionRule = {
  allowed: `strings of at most ${MAX_TEXT_BYTES} bytes`,
  accepts: (value) => typeof value === 'string' && Buffer.byteLength(value) <= MAX_TEXT_BYTES,
};

const ms = (least: number): OptionRule => integers(least, MAX_MS, ' (milliseconds)');

/** What mutexes, read and write locks know. */
export const ACQUIRE_RULES: OptionRules<AcquireOptions> = {
  waitMs: ms(0),
  attemptMs: ms(1),
  signal: { allowed: 'AbortSignals', accepts: (value) => value instanceof AbortSignal },
  reentrant: oneOf(true, false),
  minHoldMs: ms(0),
  maxHoldMs: ms(1),
  whenUnreachable: oneOf('fail', 'local'),
  handoff: { allowed: HANDOFF_ALLOWED, accepts: isHandoff },
  lingerMs: ms(0),
  metadata: {
    allowed: 'objects',
    accepts: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  },
  purpose: SHORT_TEXT,
};

/** @param rules those of the kind of lock.
 * @throws LockConfigError that names the option, its value and what is allowed. */
export function checkAcquireOptions<Options extends AcquireOptions>(
  options: Options,
  rules: OptionRules<Options> = ACQUIRE_RULES as OptionRules<Options>,
): void {
  checkOptions(options, rules);
  checkHoldMs(options);
}

/** @throws LockConfigError when the lock would be lost before it may be given back. */
export function checkHoldMs(options: Pick<AcquireOptions, 'minHoldMs' | 'maxHoldMs'>): void {
  const { minHoldMs = 0, maxHoldMs = MAX_MS } = options;
  if (minHoldMs <= maxHoldMs) return;
  throw new LockConfigError(
    `Option "minHoldMs" is ${minHoldMs}, which is more than "maxHoldMs" (${maxHoldMs}): the lock would be lost before its time.`,
  );
}
