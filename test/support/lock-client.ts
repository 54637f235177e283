import { LockService } from '../../lib/locking/lock.service.js';
import { LockManager, type LockDefaults } from '../../lib/recipes/lock-manager.js';
import type { ZkClientFactory } from '../../lib/session/zk-client.js';
import { ZkConnection, type ZkConnectionOptions } from '../../lib/session/zk-connection.js';

export interface LockClientOptions extends Partial<ZkConnectionOptions>, Partial<LockDefaults> {
  /** Opens the sessions. Default: the native client's. */
  open?: ZkClientFactory;
}

/** Every caller queues with a node of its own, as if it were alone in its process. */
export const EACH_ITS_NODE = { handoff: false } as const;

/** One member of a fleet without Nest around it: a connection of its own, its locks, and what it logged. */
export class LockClient implements AsyncDisposable {
  /** `level: text`, oldest first. */
  readonly lines: string[] = [];
  readonly connection: ZkConnection;
  readonly manager: LockManager;
  readonly locks: LockService;

  private constructor(connectString: string, options: LockClientOptions) {
    const write = (level: string) => (text: string) => void this.lines.push(`${level}: ${text}`);
    const logger = { debug: write('debug'), log: write('log'), warn: write('warn'), error: write('error') };
    const {
      waitMs = 10_000,
      attemptMs = 2_000,
      releaseWaitMs = 2_000,
      unreachableAfterMs,
      handoff,
      lingerMs,
      maxWaiting,
      open,
      ...connection
    } = options;
    this.connection = new ZkConnection(
      { hosts: connectString, chroot: '', root: '/locks', sessionTimeoutMs: 4_000, ...connection },
      logger,
      open,
    );
    const defaults = { waitMs, attemptMs, releaseWaitMs, unreachableAfterMs, handoff, lingerMs, maxWaiting };
    this.manager = new LockManager(this.connection, defaults, logger);
    this.locks = new LockService(this.manager);
    this.connection.start();
  }

  /** Resolves when connected. */
  static async open(connectString: string, options: LockClientOptions = {}): Promise<LockClient> {
    const client = new LockClient(connectString, options);
    await client.connection.connected(15_000);
    return client;
  }

  /** Does not wait for a connection. */
  static start(connectString: string, options: LockClientOptions = {}): LockClient {
    return new LockClient(connectString, options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.manager.finishShutdown();
    await this.connection.close(2_000);
  }
}
