import { ErrorCode } from '../wire/error-codes.js';
import { isValidPath, parentOf } from './path.js';
import { ZkError } from './zk-error.js';

const ANY_VERSION = -1;

/** ZooKeeper fails to read a request without what it needs: MarshallingError. */
export function required<T>(value: T | null): T {
  if (value === null) throw new ZkError(ErrorCode.MarshallingError);
  return value;
}

/** @throws {ZkError} BadArguments for a path that no node can have */
export function checkPath(path: string | null): string {
  if (path === null || !isValidPath(path)) throw new ZkError(ErrorCode.BadArguments);
  return path;
}

/** The parent's path, by a look at the slashes alone. */
export function checkParentPath(path: string): string {
  const parentPath = parentOf(path);
  if (parentPath === undefined || path.includes('\0')) throw new ZkError(ErrorCode.BadArguments);
  return parentPath;
}

/** @throws {ZkError} BadVersion unless the expected version is the current one, or -1 */
export function nextVersion(current: number, expected: number): number {
  if (expected !== ANY_VERSION && expected !== current) throw new ZkError(ErrorCode.BadVersion);
  return (current + 1) | 0;
}
