import { LockConfigError } from '../errors/lock-config.error.js';
import { nearestName } from '../errors/nearest-name.js';
import { MAX_MS } from '../recipes/acquire-options-check.js';
import type { DistributedLockOptions } from './distributed-lock.options.js';
import * as messages from './locking.messages.js';

interface Rule {
  readonly allowed: string;
  accepts(value: unknown): boolean;
}

const duration = (min: number): Rule => ({
  allowed: `an integer from ${min} to ${MAX_MS} (ms)`,
  accepts: (value) => Number.isInteger(value) && (value as number) >= min && (value as number) <= MAX_MS,
});
const isFunction = (value: unknown): boolean => typeof value === 'function';
const aFunction: Rule = { allowed: 'a function', accepts: isFunction };

const RULES: Readonly<Record<keyof DistributedLockOptions, Rule>> = {
  waitMs: duration(0),
  attemptMs: duration(1),
  minHoldMs: duration(0),
  maxHoldMs: duration(1),
  reentrant: { allowed: 'true or false', accepts: (value) => typeof value === 'boolean' },
  metadata: {
    allowed: 'an object',
    accepts: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  },
  connection: {
    allowed: 'a non-empty string',
    accepts: (value) => typeof value === 'string' && value !== '',
  },
  onBusy: {
    allowed: "'throw', 'skip' or a function",
    accepts: (value) => value === 'throw' || value === 'skip' || isFunction(value),
  },
  onLost: {
    allowed: "'throw', 'abort' or 'ignore'",
    accepts: (value) => value === 'throw' || value === 'abort' || value === 'ignore',
  },
  stripes: {
    allowed: 'an integer from 1 to 65536',
    accepts: (value) => Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 65_536,
  },
  permits: {
    allowed: 'an integer from 1',
    accepts: (value) => Number.isInteger(value) && (value as number) >= 1,
  },
  mode: { allowed: "'read' or 'write'", accepts: (value) => value === 'read' || value === 'write' },
  whenUnreachable: {
    allowed: "'fail' or 'local'",
    accepts: (value) => value === 'fail' || value === 'local',
  },
  condition: aFunction,
  signal: aFunction,
};

/** @throws LockConfigError */
export function refuseNoObject(site: string, options: unknown): void {
  if (typeof options === 'object' && options !== null && !Array.isArray(options)) return;
  throw new LockConfigError(messages.badOptions(site, options));
}

/** @throws LockConfigError that names the option, its value and what is allowed. */
export function checkLockOptions(site: string, options: DistributedLockOptions): void {
  refuseNoObject(site, options);
  const known = Object.keys(RULES);
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(RULES, name)) {
      throw new LockConfigError(messages.unknownOption(site, name, known, nearestName(name, known)));
    }
    const rule = RULES[name as keyof DistributedLockOptions];
    if (value !== undefined && !rule.accepts(value)) {
      throw new LockConfigError(messages.badOption(site, name, value, rule.allowed));
    }
  }
}
