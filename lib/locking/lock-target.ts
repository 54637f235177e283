import { createHash } from 'node:crypto';
import { LockKeyError } from '../errors/lock-key.error.js';
import type { LockTarget } from '../recipes/queue-lock.js';
import { znodePathProblem } from '../session/znode-path.js';
import { toLockKey, type LockKey } from './lock-key.js';

/** A node as it is, instead of a key: for locks that other programs made, such as Curator's. Below the chroot. */
export interface LockPath {
  /** An absolute path, for example `/services/billing/lock`. It is not encoded and not below the root. */
  readonly path: string;
}

/** Which lock, as callers say it: a plain text, what `lockKey()` made, or a path. */
export type LockKeyInput = string | LockKey | LockPath;

export function isLockPath(key: LockKeyInput): key is LockPath {
  return typeof key === 'object' && (key as unknown) !== null && 'path' in key;
}

/** @param stripes maps the key to one of so many nodes, together with all keys of the same beginning (up to the first `:`).
 * @throws LockKeyError */
export function lockTarget(key: LockKeyInput, stripes?: number): LockTarget {
  if (isLockPath(key)) return pathTarget(key.path, stripes);
  const { text, nodeName } = toLockKey(key);
  return stripes === undefined ? { text, nodeName } : { text, nodeName: stripeOf(text, nodeName, stripes) };
}

function pathTarget(path: unknown, stripes: number | undefined): LockTarget {
  const problem = typeof path === 'string' ? znodePathProblem(path) : 'it is no string';
  if (problem !== undefined || path === '/') {
    throw new LockKeyError(
      `The path "${String(path)}" cannot be a lock's: ${problem ?? 'it is the root of everything'}.`,
    );
  }
  if (stripes !== undefined)
    throw new LockKeyError(`The path "${String(path)}" cannot be striped: it is one node.`);
  return { text: path as string, nodeName: path as string };
}

/** A stable hash: the same in every process and every version of Node. */
function stripeOf(text: string, nodeName: string, stripes: number): string {
  if (!Number.isInteger(stripes) || stripes < 1 || stripes > 65_536) {
    throw new LockKeyError(`Stripes of "${text}" are ${stripes}; allowed are integers from 1 to 65536.`);
  }
  const [name = ''] = nodeName.split(':', 1);
  const stripe = createHash('sha256').update(nodeName).digest().readUInt32BE() % stripes;
  return `${name}~${stripe}of${stripes}`; // a finished name: encoded before
}
