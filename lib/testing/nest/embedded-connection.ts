import { lockTarget, type LockKeyInput } from '../../locking/lock-target.js';
import { LockService } from '../../locking/lock.service.js';
import { readContenders, type Contender } from '../../recipes/contender.js';
import { LockManager } from '../../recipes/lock-manager.js';
import type { LockLogger } from '../../session/lock-logger.js';
import { ZkConnection } from '../../session/zk-connection.js';
import type { ResolvedZkLockOptions } from '../../zk-lock.options.js';
import type { TestingServer } from '../testing-server.js';
import { embeddedClients, sparedClients } from './embedded-clients.js';
import { treeReader } from './tree-reader.js';

/** Below the 5 s that jest and vitest give a test: a lock that is not to be had is told by its own error. In ms. */
const OTHER_WAIT_MS = 2_000;

/** What befalls a lock that the test holds is the test's own doing. */
const SILENT: LockLogger = {
  debug: () => undefined,
  log: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** A connection of the application under test, and beside it a second one, which the test holds locks with. */
export class EmbeddedConnection extends ZkConnection {
  private other: ZkConnection | undefined;
  private readonly managers: LockManager[] = [];

  /** @param closed waited for by `close()`. */
  constructor(
    readonly server: TestingServer,
    private readonly ownOptions: ResolvedZkLockOptions,
    logger: LockLogger,
    private readonly closed: () => Promise<void>,
  ) {
    super({ ...ownOptions, hosts: server.connectString }, logger, embeddedClients(server));
  }

  /**
   * Locks of another session, with the same root and identity; what is given back there is gone at once. They know
   * nothing of those that were made here before, as in a process of their own.
   */
  otherLocks(): LockService {
    this.other ??= new ZkConnection(this.otherOptions, SILENT, sparedClients(this.server));
    const manager = this.managerOf(this.other);
    this.managers.push(manager);
    return new LockService(manager);
  }

  /** Who holds the lock and who waits, as the server has it right now, in whatever condition it is. */
  async contenders(key: LockKeyInput, stripes: number | undefined): Promise<Contender[]> {
    const manager = this.managerOf(this);
    const reader = treeReader(this.server, this.info().sessionId);
    const all = await readContenders(reader, manager.pathOf(lockTarget(key, stripes).nodeName));
    return all.map((contender) => ({ ...contender, path: manager.publicPath(contender.path) }));
  }

  override async close(waitMs?: number): Promise<void> {
    await Promise.all([super.close(waitMs), this.closeOther()]);
    await this.closed();
  }

  /** The session ends first: nothing then waits for an answer. */
  private async closeOther(): Promise<void> {
    await this.other?.close();
    await Promise.all(this.managers.map((manager) => manager.finishShutdown()));
  }

  private get otherOptions(): ResolvedZkLockOptions {
    return { ...this.ownOptions, hosts: this.server.connectString };
  }

  private managerOf(connection: ZkConnection): LockManager {
    const defaults = {
      ...this.ownOptions,
      waitMs: OTHER_WAIT_MS,
      lingerMs: 0,
      whenUnreachable: 'fail',
    } as const;
    return new LockManager(connection, defaults, SILENT);
  }
}
