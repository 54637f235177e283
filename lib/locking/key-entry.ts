import { checkOptions, oneOf, type OptionRule } from '../errors/check-options.js';
import type { ReadWriteMode } from './lock.service.js';

/** One of several keys: what the key is made of, and which side of its read/write lock is taken. */
export interface KeyEntry<Source> {
  readonly key: Source;
  /** Default: that of the options; without it the key is a mutex. */
  readonly mode?: ReadWriteMode;
}

const ANYTHING: OptionRule = { allowed: 'a key', accepts: () => true };
const ENTRY_RULES = { key: ANYTHING, mode: oneOf('read', 'write') };
const PATH_RULES = { path: ANYTHING };

/**
 * Takes apart what may stand in a list of keys: a key by itself, or `{ key, mode }`. The key is not looked at.
 * @throws LockConfigError for `{ path, mode }` and other properties that would mean nothing.
 */
export function readKeyEntry<Source>(entry: Source | KeyEntry<Source>): KeyEntry<Source> {
  const read = hasProperty(entry, 'key') ? (entry as KeyEntry<Source>) : { key: entry as Source };
  if (read === entry) checkOptions<KeyEntry<Source>>(read, ENTRY_RULES, 'property of a key in a list');
  if (hasProperty(read.key, 'path'))
    checkOptions(
      read.key as { path: unknown },
      PATH_RULES,
      'property of a path (which has a mode in { key: { path }, mode })',
    );
  return read;
}

function hasProperty(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && name in value;
}
