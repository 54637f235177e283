import { LockConfigError } from '../errors/lock-config.error.js';
import { LockKeyError } from '../errors/lock-key.error.js';
import type { DistributedLockOptions, LockKeySource, LockKeySources } from './distributed-lock.options.js';
import { readKeyEntry } from './key-entry.js';
import { fillLockKey, toLockKey } from './lock-key.js';
import { locate } from './lock-options-check.js';
import type { LockDecorator } from './lock-plan.js';
import { isLockPath, lockTarget, type LockKeyInput } from './lock-target.js';
import { parseTemplate, type LockTemplate } from './lock-template.js';
import type { KeyWithMode } from './lock.service.js';
import * as messages from './locking.messages.js';
import type { ArgumentReader } from './parameter-names.js';

/** One call of a locked method. */
export interface LockedCall {
  readonly self: unknown;
  readonly args: readonly unknown[];
}

/** What the keys of a plan are made of. */
export interface KeyParts {
  readonly decorator: LockDecorator;
  readonly site: string;
  readonly source: LockKeySources;
  readonly options: Pick<DistributedLockOptions, 'permits' | 'stripes'>;
  /** Finds the parameters that the placeholders of a key name; throws when there are none. */
  readers(template: LockTemplate): ReadonlyMap<string, ArgumentReader>;
}

/** The keys of one call. */
export type KeyMaker = (call: LockedCall) => readonly KeyWithMode[];

// The functions of the options are called with whatever the method is called with: their types were checked there.
type AnyFunction = (this: unknown, ...args: readonly unknown[]) => unknown;

/** Calls a function that the user wrote into the decorator, with the object and the arguments of the call. */
export const callWith = (fn: unknown, { self, args }: LockedCall, ...first: unknown[]): unknown =>
  (fn as AnyFunction).call(self, ...first, ...args);

/** @throws LockConfigError, LockKeyError for whatever can be found wrong before the first call. */
export function planKeys(parts: KeyParts): KeyMaker {
  const { decorator, site, source, options } = parts;
  const entries = Array.isArray(source) ? (source as readonly LockKeySource[]) : [source as LockKeySource];
  if (entries.length === 0) throw new LockKeyError(messages.noKeys(decorator, site));
  if (entries.length > 1 && options.permits !== undefined) {
    throw new LockConfigError(messages.permitsOfSeveral(site));
  }
  const makers = entries.map((entry) => entryMaker(parts, entry));
  return (of) => {
    const keys = makers.flatMap((make) => make(of));
    if (keys.length === 0) throw new LockKeyError(messages.keyListEmpty());
    return keys;
  };
}

function entryMaker(parts: KeyParts, entry: LockKeySource): KeyMaker {
  const { key: source, mode } = locate(parts.site, () => readKeyEntry<LockKeySource>(entry));
  if (mode !== undefined && parts.options.permits !== undefined) {
    throw new LockConfigError(messages.twoKinds(parts.site));
  }
  const make = sourceMaker(parts, source);
  return mode === undefined ? make : (of) => make(of).map((key) => ({ mode, ...key }));
}

function sourceMaker(parts: KeyParts, source: LockKeySource): KeyMaker {
  const { decorator, site, options } = parts;
  if (typeof source === 'function') {
    return (of) =>
      [callWith(source, of)].flat().map((made) => readKeyEntry<LockKeyInput>(made as LockKeyInput));
  }
  if (typeof source === 'string' && source !== '') {
    const template = parseTemplate(source);
    const readers = parts.readers(template);
    return ({ args }) => [{ key: fillLockKey(template, (root) => readers.get(root)?.(args)) }];
  }
  if (typeof source !== 'object' || (source as unknown) === null) {
    throw new LockKeyError(messages.noKeys(decorator, site));
  }
  const key = locate(site, () => (isLockPath(source) ? source : toLockKey(source)));
  locate(site, () => lockTarget(key, options.stripes));
  return () => [{ key }];
}
