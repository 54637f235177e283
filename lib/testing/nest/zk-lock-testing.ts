import { setTimeout as sleep } from 'node:timers/promises';
import { LockConfigError } from '../../errors/lock-config.error.js';
import { lockTarget, type LockKeyInput } from '../../locking/lock-target.js';
import type { LockOptions, StripesOption } from '../../locking/lock.service.js';
import type { Contender } from '../../recipes/contender.js';
import type { HeldLock } from '../../recipes/held-lock.js';
import type { TestingServer } from '../testing-server.js';
import type { EmbeddedServers } from './embedded-servers.js';
import { LockExpectationError } from './lock-expectation.error.js';

/** Options of `holdLock`: those of `LockService.acquire`. */
export type HoldLockOptions = LockOptions & {
  /** `connectionName` of the module whose lock it is. Default: the default connection. */
  connection?: string;
};

/** Options of `expectHeld`, `expectWaiting` and `expectFree`. */
export interface ExpectLockOptions extends StripesOption {
  /** `connectionName` of the module whose lock it is. Default: the default connection. */
  connection?: string;
  /** How long to look until it is so, in ms. Default 1,000. */
  timeoutMs?: number;
}

const LOOK_EVERY_MS = 10;
const NOTICE_MS = 2_000;

/** What a test does to the locks of the application under test: `module.get(ZkLockTesting)`. */
export class ZkLockTesting {
  constructor(private readonly servers: EmbeddedServers) {}

  /** The server in the place of ZooKeeper, with its faults: `pause()`, `intercept(…)` and so on. */
  get server(): TestingServer {
    return this.serverOf();
  }

  /** The same for a named connection. Connections to the same ensemble have the same server. */
  serverOf(connectionName?: string): TestingServer {
    return this.servers.connectionOf(connectionName).server;
  }

  /**
   * Takes the lock from another session, as another process would. It is given back by `release()`, by `await using`, or
   * when the application is closed.
   * @throws {LockTimeoutError} when it is not to be had within `waitMs` (here 2,000 by default); names the holder.
   */
  holdLock(key: LockKeyInput, { connection, ...options }: HoldLockOptions = {}): Promise<HeldLock> {
    const locks = this.servers.connectionOf(connection).otherLocks;
    return locks.acquire(key, { purpose: 'ZkLockTesting.holdLock', ...options });
  }

  /**
   * Lets the application's session expire at the server: its lock nodes go, its locks are lost. Resolves when the
   * application has noticed; it opens a new session by itself.
   */
  async expireSession(connectionName?: string): Promise<void> {
    const connection = this.servers.connectionOf(connectionName);
    const { state, sessionId } = connection.info();
    if (state !== 'connected' || sessionId === undefined) {
      throw new LockConfigError(
        `ZkLockTesting: the connection is ${state}, so it has no session that could expire. Was the application started (module.init())?`,
      );
    }
    const noticed = new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => {
        reject(new Error(`The application did not notice within ${NOTICE_MS} ms that ${sessionId} expired.`));
      }, NOTICE_MS);
      const stop = connection.on('state', (change) => {
        if (change.event !== 'lost' && change.event !== 'closed') return;
        clearTimeout(late);
        stop();
        resolve();
      });
    });
    connection.server.expireSession(sessionId);
    await noticed;
  }

  /**
   * Looks at the server until somebody holds the lock: the application, `holdLock`, or anybody else.
   * @throws {LockExpectationError} after `timeoutMs`.
   */
  expectHeld(key: LockKeyInput, options?: ExpectLockOptions): Promise<void> {
    return this.expect(key, 'held', options, (all) => all.some(({ state }) => state === 'holding'));
  }

  /**
   * Looks at the server until somebody waits for the lock.
   * @throws {LockExpectationError} after `timeoutMs`.
   */
  expectWaiting(key: LockKeyInput, options?: ExpectLockOptions): Promise<void> {
    return this.expect(key, 'waited for', options, (all) => all.some(({ state }) => state === 'waiting'));
  }

  /**
   * Looks at the server until nobody holds the lock, nor waits for it. Locked methods return as soon as the release has
   * been sent. A node that stays for `lingerMs` or `minHoldMs` counts as held.
   * @throws {LockExpectationError} after `timeoutMs`; tells who has it.
   */
  expectFree(key: LockKeyInput, options?: ExpectLockOptions): Promise<void> {
    return this.expect(key, 'free', options, (all) => all.length === 0);
  }

  private async expect(
    key: LockKeyInput,
    what: string,
    { connection, timeoutMs = 1_000, stripes }: ExpectLockOptions = {},
    isSo: (contenders: readonly Contender[]) => boolean,
  ): Promise<void> {
    const { otherLocks, server } = this.servers.connectionOf(connection);
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const contenders = await otherLocks.contenders(key, { stripes });
      if (isSo(contenders)) return;
      if (performance.now() > deadline) {
        const nodes = server.sessions().flatMap(({ ephemerals }) => ephemerals);
        throw new LockExpectationError(lockTarget(key, stripes).text, what, timeoutMs, contenders, nodes);
      }
      await sleep(LOOK_EVERY_MS);
    }
  }
}
