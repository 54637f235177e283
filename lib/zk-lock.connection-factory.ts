import type { LockLogger } from './session/lock-logger.js';
import type { ZkConnection } from './session/zk-connection.js';
import type { ResolvedZkLockOptions } from './zk-lock.options.js';

/**
 * @internal Makes the connections of all `ZkLockModule`s of an application. A global provider under
 * `ZK_CONNECTION_FACTORY` takes the place of the usual one: `nestjs-zk-lock/testing` has one.
 */
export interface ZkConnectionFactory {
  /** A connection that nobody has started yet. `connectionName` is undefined for the default one. */
  make(
    options: ResolvedZkLockOptions,
    logger: LockLogger,
    connectionName: string | undefined,
  ): ZkConnection | Promise<ZkConnection>;
}
