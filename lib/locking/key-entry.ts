import { checkOptions, oneOf, type OptionRule } from '../errors/check-options.js';
import { isLockPath } from './lock-target.js';
import type { ReadWriteMode } from './lock.service.js';

/** One of several keys: what the key is made of, and which side of its read/write lock is taken. */
export interface KeyEntry<Source> {
  readonly key: Source;
  /** Default: that of the options; without it the key is a mutex. */
  readonly mode?: ReadWriteMode;
  readonly path?: never;
  readonly permits?: never;
}

/** What a mode may be. */
export const MODE: OptionRule = oneOf('read', 'write');
const ENTRY_RULES = { key: { allowed: 'keys', accepts: () => true }, mode: MODE };

/**
 * Takes apart what may stand in a list of keys: a key by itself, or `{ key, mode }`. The key is not looked at.
 * @throws LockConfigError for locks, `{ path, mode }` and other properties that would mean nothing.
 */
export function readKeyEntry<Source>(entry: Source | KeyEntry<Source>): KeyEntry<Source> {
  if (isLockPath(entry) || !isEntry(entry)) return { key: entry };
  checkOptions<Pick<KeyEntry<Source>, 'key' | 'mode'>>(entry, ENTRY_RULES, 'a key in a list', 'property');
  return entry;
}

function isEntry<Source>(entry: Source | KeyEntry<Source>): entry is KeyEntry<Source> {
  return typeof entry === 'object' && entry !== null && 'key' in entry;
}
