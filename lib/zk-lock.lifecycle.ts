import type {
  BeforeApplicationShutdown,
  OnApplicationBootstrap,
  OnApplicationShutdown,
  OnModuleInit,
} from '@nestjs/common';
import { LockConnectionError } from './errors/lock-connection.error.js';
import type { LockManager } from './recipes/lock-manager.js';
import type { LockLogger } from './session/lock-logger.js';
import type { ZkConnection } from './session/zk-connection.js';
import * as messages from './zk-lock.messages.js';
import type { ResolvedZkLockOptions } from './zk-lock.options.js';

const PRODUCTION_TIMEOUT_MS = { min: 10_000, max: 30_000 };
/** How long the end of the session waits for answers that are still due. */
const LAST_ANSWERS_WAIT_MS = 1_000;

/** What the lifecycle looks after. */
export interface ZkLockLifecycleParts {
  readonly connectionName: string | undefined;
  readonly options: ResolvedZkLockOptions;
  readonly connection: ZkConnection;
  readonly manager: LockManager;
  readonly logger: LockLogger;
  /** For the start-up line: how many methods of the application lock with a connection. */
  readonly lockSites: { countOf(connectionName: string | undefined): number };
}

/** Starts one connection with the application, tells what came of it, and ends it with the application. */
export class ZkLockLifecycle
  implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown
{
  constructor(private readonly parts: ZkLockLifecycleParts) {}

  /** @throws LockConnectionError with `startup: 'require'`, when there is no session within `connectTimeoutMs`. */
  async onModuleInit(): Promise<void> {
    const { connectionName, connection, logger, options } = this.parts;
    const { min, max } = PRODUCTION_TIMEOUT_MS;
    const unusual = options.sessionTimeoutMs < min || options.sessionTimeoutMs > max;
    if (unusual && process.env.NODE_ENV === 'production') {
      logger.warn(messages.TIMEOUT_UNUSUAL(connectionName, options.sessionTimeoutMs));
    }
    connection.start();
    if (options.startup === 'background') return;
    try {
      await connection.connected(options.connectTimeoutMs);
    } catch (cause) {
      // Nobody may close an application that did not start: leave nothing that keeps the process alive.
      await connection.close();
      const { server } = connection.info();
      throw new LockConnectionError(
        messages.NOT_CONNECTED_AT_START(connectionName, server, options.connectTimeoutMs),
        { cause },
      );
    }
  }

  /** Only now is every lock site known. */
  onApplicationBootstrap(): void {
    void this.announce();
  }

  /** Requests are still running: no new acquire, and a bounded time for those that wait. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.parts.manager.beginShutdown(this.parts.options.shutdownGraceMs);
  }

  /** Requests have finished: whatever is still held goes now, not after the session timeout. */
  async onApplicationShutdown(): Promise<void> {
    try {
      await this.parts.manager.finishShutdown();
    } finally {
      await this.parts.connection.close(LAST_ANSWERS_WAIT_MS);
    }
  }

  private async announce(): Promise<void> {
    const { connection, connectionName, lockSites, logger, options } = this.parts;
    const { server } = connection.info();
    const late = setTimeout(
      () => logger.warn(messages.NOT_YET_CONNECTED(connectionName, server, options.connectTimeoutMs)),
      options.connectTimeoutMs,
    ).unref();
    const session = await connection.ready().catch(() => undefined); // closed before it ever was connected
    clearTimeout(late);
    if (session === undefined) return;
    const { id, negotiatedTimeoutMs } = session;
    logger.log(
      messages.STARTED(connectionName, server, id, negotiatedTimeoutMs, lockSites.countOf(connectionName)),
    );
    if (negotiatedTimeoutMs !== options.sessionTimeoutMs) {
      logger.warn(messages.TIMEOUT_CLAMPED(connectionName, options.sessionTimeoutMs, negotiatedTimeoutMs));
    }
  }
}
