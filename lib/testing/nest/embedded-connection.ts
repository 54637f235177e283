import { LockService } from '../../locking/lock.service.js';
import { LockManager } from '../../recipes/lock-manager.js';
import type { LockLogger } from '../../session/lock-logger.js';
import { ZkConnection } from '../../session/zk-connection.js';
import type { ResolvedZkLockOptions } from '../../zk-lock.options.js';
import type { TestingServer } from '../testing-server.js';
import { embeddedClients } from './embedded-clients.js';

/** Below the 5 s that jest and vitest give a test: a lock that is not to be had is told by its own error. In ms. */
const OTHER_WAIT_MS = 2_000;

/** A connection of the application under test, and beside it a second one, which the test holds locks with. */
export class EmbeddedConnection extends ZkConnection {
  private other: LockManager | undefined;

  /** @param closed waited for by `close()`. */
  constructor(
    readonly server: TestingServer,
    private readonly ownOptions: ResolvedZkLockOptions,
    private readonly ownLogger: LockLogger,
    private readonly closed: () => Promise<void>,
  ) {
    super({ ...ownOptions, hosts: server.connectString }, ownLogger, embeddedClients(server));
  }

  /** Locks of another session, with the same root and identity; what is given back there is gone at once. */
  get otherLocks(): LockService {
    return new LockService((this.other ??= this.makeOther()));
  }

  override async close(waitMs?: number): Promise<void> {
    await super.close(waitMs);
    const { other } = this;
    this.other = undefined;
    await other?.finishShutdown();
    await other?.connection.close();
    await this.closed();
  }

  private makeOther(): LockManager {
    const options = { ...this.ownOptions, hosts: this.server.connectString };
    const connection = new ZkConnection(options, this.ownLogger, embeddedClients(this.server));
    const defaults = { ...options, waitMs: OTHER_WAIT_MS, lingerMs: 0, whenUnreachable: 'fail' } as const;
    return new LockManager(connection, defaults, this.ownLogger);
  }
}
