import { LockConfigError } from './lock-config.error.js';
import { nearestName } from './nearest-name.js';
import { shown } from './shown.js';

/** What the value of one option may be. */
export interface OptionRule {
  /** Completes the sentence "allowed are …". */
  readonly allowed: string;
  accepts(value: unknown): boolean;
}

export type OptionRules<Options> = Readonly<Record<keyof Options, OptionRule>>;

export const integers = (min: number, max: number, unit = ''): OptionRule => ({
  allowed: `integers from ${min} to ${max}${unit}`,
  accepts: (value) => Number.isInteger(value) && (value as number) >= min && (value as number) <= max,
});

export const oneOf = (...values: readonly (string | boolean)[]): OptionRule => ({
  allowed: values.map(shown).join(' and '),
  accepts: (value) => values.includes(value as string | boolean),
});

/** @throws LockConfigError unless it is an object or left out. */
export function refuseNoObject(options: unknown): void {
  if (options === undefined || (typeof options === 'object' && options !== null && !Array.isArray(options))) {
    return;
  }
  throw new LockConfigError(`options is ${shown(options)}. Expected an object.`);
}

/** @param owner whose options they are, for the message.
 * @throws LockConfigError that names the option, its value and what is allowed. */
export function checkOptions<Options extends object>(
  options: Options,
  rules: OptionRules<Options>,
  owner?: string,
  noun = 'option',
): void {
  refuseNoObject(options);
  for (const name in options) {
    const value: unknown = options[name];
    if (!Object.hasOwn(options, name)) continue;
    if (!Object.hasOwn(rules, name)) {
      const known = Object.keys(rules);
      const nearest = nearestName(name, known);
      throw new LockConfigError(
        `There is no ${noun} "${name}"${owner === undefined ? '' : ` of ${owner}`}.${nearest === undefined ? '' : ` Did you mean "${nearest}"?`} Known: ${known.join(', ')}.`,
      );
    }
    if (value !== undefined) checkOption(name, value, rules[name as keyof Options]);
  }
}

/** @throws LockConfigError */
export function checkOption(name: string, value: unknown, rule: OptionRule): void {
  if (rule.accepts(value)) return;
  throw new LockConfigError(`Option "${name}" is ${shown(value)}; allowed are ${rule.allowed}.`);
}

/** @throws LockConfigError for an event that nothing tells of, or a listener that is no function. */
export function checkListener(event: unknown, events: readonly string[], listener: unknown): void {
  if (!events.includes(event as string)) {
    const known = events.map((name) => `"${name}"`).join(', ');
    throw new LockConfigError(`There is no event ${shown(event)}. Known: ${known}.`);
  }
  if (typeof listener !== 'function') {
    throw new LockConfigError(
      `The listener of "${String(event)}" is ${shown(listener)}. Expected a function.`,
    );
  }
}
