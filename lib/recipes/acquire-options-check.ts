import { LockConfigError } from '../errors/lock-config.error.js';
import type { AcquireOptions } from './acquire-options.js';

/** The longest delay that a timer can have. */
export const MAX_MS = 2 ** 31 - 1;

/** @throws LockConfigError that names the option, its value and what is allowed. */
export function checkAcquireOptions(options: AcquireOptions): void {
  checkMs('waitMs', options.waitMs, 0);
  checkMs('attemptMs', options.attemptMs, 1);
  checkMs('minHoldMs', options.minHoldMs, 0);
  checkMs('maxHoldMs', options.maxHoldMs, 1);
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
}

function checkMs(name: string, value: number | undefined, least: number): void {
  if (value === undefined || (Number.isInteger(value) && value >= least && value <= MAX_MS)) return;
  throw new LockConfigError(
    `Option "${name}" is ${String(value)}; allowed are ${least} to ${MAX_MS} (milliseconds).`,
  );
}
