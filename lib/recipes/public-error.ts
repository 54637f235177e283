import { LockAccessError } from '../errors/lock-access.error.js';
import { LockConfigError } from '../errors/lock-config.error.js';
import { LockConnectionError } from '../errors/lock-connection.error.js';
import { isZkOperationError, ZkCode } from '../errors/zk-operation.error.js';

const REFUSED: ReadonlySet<number> = new Set([ZkCode.noAuth, ZkCode.authFailed, ZkCode.invalidAcl]);
const MISUSED: ReadonlySet<number> = new Set([ZkCode.badArguments, ZkCode.noChildrenForEphemerals]);

/** What a caller sees of a failed request: not allowed, not usable or not reachable. Other errors pass unchanged. */
export function publicError(error: unknown, key: string): unknown {
  if (!isZkOperationError(error)) return error;
  const { zkCode } = error;
  const options = { key, zkCode, cause: error };
  if (REFUSED.has(zkCode)) {
    return new LockAccessError(
      `ZooKeeper does not allow this session to use the lock "${key}" (${error.message}). ` +
        'Check the option "auth" and the ACL of the path and its parent.',
      options,
    );
  }
  if (MISUSED.has(zkCode)) {
    return new LockConfigError(`The lock "${key}" cannot live at this path (${error.message}).`, options);
  }
  return new LockConnectionError(
    `ZooKeeper did not answer for the lock "${key}" (${error.message}).`,
    options,
  );
}
