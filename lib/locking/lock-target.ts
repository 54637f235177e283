import { createHash } from 'node:crypto';
import { checkOption, integers } from '../errors/check-options.js';
import { LockConfigError } from '../errors/lock-config.error.js';
import { LockKeyError } from '../errors/lock-key.error.js';
import { shown } from '../errors/shown.js';
import type { LockTarget } from '../recipes/queue-lock.js';
import { znodePathProblem } from '../session/znode-path.js';
import { toLockKey, type LockKey } from './lock-key.js';
import * as messages from './locking.messages.js';

/**
 * A node as it is, instead of a key: for locks that other programs made, such as Curator's. Below the chroot. It has
 * nothing beside its path, so that no lock, contender or entry of a list passes for one.
 */
export interface LockPath {
  /** An absolute path, for example `/services/billing/lock`. It is not encoded and not below the root. */
  readonly path: string;
  readonly key?: never;
  readonly mode?: never;
  readonly permits?: never;
  readonly stripes?: never;
}

/** Which lock, as callers say it: a plain text, what `lockKey()` made, or a path. */
export type LockKeyInput = string | LockKey | LockPath;

/** How many nodes the keys of one beginning may share. */
export const STRIPES = integers(1, 65_536);

/** @param stripes maps the key to one of so many nodes, together with all keys of the same beginning (up to the first `:`).
 * @throws LockKeyError; LockConfigError for other objects of this library, and for stripes out of range. */
export function lockTarget(key: LockKeyInput, stripes?: number): LockTarget {
  if (stripes !== undefined) checkOption('stripes', stripes, STRIPES);
  if (isLockPath(key)) return pathTarget(key.path, stripes);
  const { text, nodeName } = toLockKey(key);
  return stripes === undefined ? { text, nodeName } : { text, nodeName: stripeOf(nodeName, stripes) };
}

/** @throws LockConfigError for what has a path and is more than that: its other parts would be ignored. */
export function isLockPath(key: unknown): key is LockPath {
  if (typeof key !== 'object' || key === null || Array.isArray(key)) return false;
  const more = Object.entries(key).some(([name, value]) => name !== 'path' && value !== undefined);
  if (Object.hasOwn(key, 'path') && !more) return true;
  const prototype: unknown = Object.getPrototypeOf(key);
  const isPlain = prototype === Object.prototype || prototype === null;
  if (!isPlain) throw new LockConfigError(messages.notAKey(key));
  if ('path' in key) throw new LockConfigError(messages.notAPath(key));
  return false;
}

function pathTarget(path: unknown, stripes: number | undefined): LockTarget {
  const problem = typeof path === 'string' ? znodePathProblem(path) : 'it is no string';
  if (problem !== undefined || path === '/') {
    throw new LockKeyError(
      `The path ${shown(path)} cannot be a lock's: ${problem ?? 'it is the root of everything'}.`,
    );
  }
  if (stripes !== undefined) {
    throw new LockConfigError(`The path ${shown(path)} cannot be striped: it is one node.`);
  }
  return { text: path as string, nodeName: path as string };
}

/** A stable hash: the same in every process and every version of Node. */
function stripeOf(nodeName: string, stripes: number): string {
  const [name = ''] = nodeName.split(':', 1);
  const stripe = createHash('sha256').update(nodeName).digest().readUInt32BE() % stripes;
  return `${name}~${stripe}of${stripes}`; // a finished name: encoded before
}
