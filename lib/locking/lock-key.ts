import 'reflect-metadata';
import { LockKeyError } from '../errors/lock-key.error.js';
import { encodeKey } from './key-encoding.js';
import { fillTemplate, parseTemplate, type LockTemplate } from './lock-template.js';
import * as messages from './locking.messages.js';

// Symbol.for: two copies of the library (CommonJS and ESM) take each other's keys.
const BRAND: unique symbol = Symbol.for('nestjs-zk-lock.key');

/** A finished key: made by `lockKey()`, already encoded, never encoded again. */
export interface LockKey {
  /** As people read it, for messages: `order-pay:42`. */
  readonly text: string;
  /** The name of the node under the root. */
  readonly nodeName: string;
  /** @internal */
  readonly [BRAND]: true;
}

/**
 * The key that `@DistributedLock(template)` would make of the same values, for use by hand:
 * `lockKey('order-pay:<id>', { id })`.
 *
 * `<name>` reads a value, `<name.path>` a property in it, `<0>` an element when `values` is an array; `<<` is a plain
 * `<`. A value must be a non-empty string, a finite number, a bigint or a boolean. Between two placeholders there must
 * be a `:`, which is encoded in values, so that no two lists of values meet in one key.
 * @throws LockKeyError for a bad template, a missing or unusable value, and a key that is over 1,024 bytes encoded.
 */
export function lockKey(
  template: string,
  values: Readonly<Record<string, unknown>> | readonly unknown[] = {},
): LockKey {
  if (typeof template !== 'string') throw new LockKeyError(messages.keyNotAString(template));
  if (typeof values !== 'object' || (values as unknown) === null) {
    throw new LockKeyError(messages.valuesNotAnObject(values));
  }
  const own = values as Readonly<Record<string, unknown>>;
  return fillLockKey(parseTemplate(template), (root) => (Object.hasOwn(own, root) ? own[root] : undefined));
}

/** @internal A key of a parsed template: the one way by which decorator and `lockKey()` make keys. */
export function fillLockKey(template: LockTemplate, read: (root: string) => unknown): LockKey {
  return { ...fillTemplate(template, read), [BRAND]: true };
}

/** @internal A plain string is encoded as it stands (no placeholders in it); a finished key is left alone. */
export function toLockKey(key: string | LockKey): LockKey {
  if (isLockKey(key)) return key;
  if (typeof key !== 'string') throw new LockKeyError(messages.keyNotAString(key));
  return { text: key, nodeName: encodeKey(key), [BRAND]: true };
}

function isLockKey(key: unknown): key is LockKey {
  return typeof key === 'object' && key !== null && BRAND in key;
}

const PARAMETER_KEYS = 'nestjs-zk-lock:parameter-keys';
const PARAMETER_NAME = /^[^<>.\s]*[^<>.\s\d][^<>.\s]*$/;

/**
 * Names a parameter for the placeholders of `@DistributedLock`, where a minifier or another decorator hides the names:
 * `pay(@LockKey('id') id: string)` is read by `<id>`.
 * @throws LockKeyError when the name cannot be written in a placeholder, or is given twice in one method.
 */
export function LockKey(name: string): ParameterDecorator {
  if (typeof name !== 'string' || !PARAMETER_NAME.test(name)) {
    throw new LockKeyError(messages.lockKeyNameInvalid(name));
  }
  return (target, method, index) => {
    if (method === undefined) throw new LockKeyError(messages.lockKeyOutsideMethod());
    const keys = readParameterKeys(target, method);
    if (keys.some(([, other]) => other === name)) {
      throw new LockKeyError(messages.lockKeyNameTaken(String(method), name));
    }
    Reflect.defineMetadata(PARAMETER_KEYS, [...keys, [index, name]], target, method);
  };
}

/** @internal The positions and names that `@LockKey` gave in this method. */
export function readParameterKeys(
  target: object,
  method: string | symbol,
): readonly (readonly [number, string])[] {
  const keys = Reflect.getOwnMetadata(PARAMETER_KEYS, target, method) as
    readonly [number, string][] | undefined;
  return keys ?? [];
}
