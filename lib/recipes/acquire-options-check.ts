import { inspect } from 'node:util';
import { LockConfigError } from '../errors/lock-config.error.js';
import { nearestName } from '../errors/nearest-name.js';
import type { AcquireOptions } from './acquire-options.js';
import { HANDOFF_ALLOWED, isHandoff } from './handoff-options.js';
import type { PermitOptions } from './semaphore.js';

/** The longest delay that a timer can have. */
export const MAX_MS = 2 ** 31 - 1;
const MAX_PURPOSE_BYTES = 1_024;

const NAMES: readonly string[] = [
  'waitMs',
  'attemptMs',
  'signal',
  'reentrant',
  'minHoldMs',
  'maxHoldMs',
  'whenUnreachable',
  'handoff',
  'lingerMs',
  'metadata',
  'purpose',
  'permits',
] satisfies (keyof PermitOptions)[];

/** @param more the names of options that the caller itself knows.
 * @throws LockConfigError that names the option, its value and what is allowed. */
export function checkAcquireOptions(options: AcquireOptions, more: readonly string[] = []): void {
  if (typeof options !== 'object' || (options as unknown) === null || Array.isArray(options)) {
    throw new LockConfigError(`options is ${inspect(options, { depth: 0 })}. Expected an object.`);
  }
  const unknown = Object.keys(options).find((name) => !NAMES.includes(name) && !more.includes(name));
  if (unknown !== undefined) {
    const known = [...NAMES, ...more];
    const nearest = nearestName(unknown, known);
    throw new LockConfigError(
      `There is no option "${unknown}".${nearest === undefined ? '' : ` Did you mean "${nearest}"?`} Known: ${known.join(', ')}.`,
    );
  }
  checkMs('waitMs', options.waitMs, 0);
  checkMs('attemptMs', options.attemptMs, 1);
  checkMs('minHoldMs', options.minHoldMs, 0);
  checkMs('maxHoldMs', options.maxHoldMs, 1);
  checkMs('lingerMs', options.lingerMs, 0);
  const { handoff } = options;
  if (handoff !== undefined && !isHandoff(handoff)) {
    throw new LockConfigError(`Option "handoff" is ${inspect(handoff)}; allowed is ${HANDOFF_ALLOWED}.`);
  }
  if (options.whenUnreachable !== undefined && !['fail', 'local'].includes(options.whenUnreachable)) {
    throw new LockConfigError(
      `Option "whenUnreachable" is ${options.whenUnreachable}; allowed are 'fail' and 'local'.`,
    );
  }
  if (options.signal !== undefined && !(options.signal instanceof AbortSignal)) {
    throw new LockConfigError('Option "signal" must be an AbortSignal.');
  }
  if (options.purpose !== undefined && typeof options.purpose !== 'string') {
    throw new LockConfigError(`Option "purpose" is ${typeof options.purpose}; it must be a string.`);
  }
  if (options.purpose !== undefined && Buffer.byteLength(options.purpose) > MAX_PURPOSE_BYTES) {
    const bytes = Buffer.byteLength(options.purpose);
    throw new LockConfigError(`Option "purpose" has ${bytes} bytes; allowed are ${MAX_PURPOSE_BYTES}.`);
  }
}

function checkMs(name: string, value: number | undefined, least: number): void {
  if (value === undefined || (Number.isInteger(value) && value >= least && value <= MAX_MS)) return;
  throw new LockConfigError(
    `Option "${name}" is ${String(value)}; allowed are ${least} to ${MAX_MS} (milliseconds).`,
  );
}
