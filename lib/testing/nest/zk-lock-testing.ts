import { setTimeout as sleep } from 'node:timers/promises';
import { checkOptions, integers, type OptionRules } from '../../errors/check-options.js';
import { LockConfigError } from '../../errors/lock-config.error.js';
import { lockTarget, STRIPES, type LockKeyInput } from '../../locking/lock-target.js';
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
const EXPECT_RULES: OptionRules<ExpectLockOptions> = {
  connection: {
    allowed: 'names of connections',
    accepts: (value) => typeof value === 'string' && value !== '',
  },
  timeoutMs: integers(0, 3_600_000, ' ms'),
  stripes: STRIPES,
};

/** What a test does to the locks of the application under test: `module.get(ZkLockTesting)`. */
export class ZkLockTesting {
  /** @internal `module.get(ZkLockTesting)` has the one there is. */
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
  async holdLock(key: LockKeyInput, { connection, ...options }: HoldLockOptions = {}): Promise<HeldLock> {
    const locks = this.servers.connectionOf(connection).otherLocks();
    return locks.acquire(key, { purpose: 'ZkLockTesting.holdLock', ...options });
  }

  /**
   * The application's session at the server, in hex: what rules of `intercept` see as `session`. Waits until there is
   * one, 2,000 ms at most.
   */
  async sessionId(connectionName?: string): Promise<string> {
    const connection = this.servers.connectionOf(connectionName);
    const { server } = connection;
    const deadline = performance.now() + NOTICE_MS;
    for (;;) {
      const { state, sessionId } = connection.info();
      // The application may not have noticed yet that its session is over.
      const known = server.sessions().find(({ id }) => id === sessionId);
      if (state === 'connected' && known !== undefined) return known.id;
      if (server.status !== 'running') {
        throw new Error(
          `ZkLockTesting: the application is not connected (${state}), and the server at ${server.connectString} is ${server.status}.`,
        );
      }
      if (performance.now() > deadline) {
        throw new LockConfigError(
          `ZkLockTesting: the application had no session for ${NOTICE_MS} ms (${state}). ` +
            'Potential solutions: start it (module.init()); or remove the rules of intercept().',
        );
      }
      await sleep(LOOK_EVERY_MS);
    }
  }

  /**
   * Lets the application's session expire at the server: its lock nodes go, its locks are lost. Resolves when the
   * application has noticed; it opens a new session by itself. Waits for one first, as `sessionId` does.
   * @throws {Error} when the server is paused or stopped: the application could not notice.
   */
  async expireSession(connectionName?: string): Promise<void> {
    const connection = this.servers.connectionOf(connectionName);
    const { server } = connection;
    if (server.status !== 'running') {
      throw new Error(
        `ZkLockTesting.expireSession: the server at ${server.connectString} is ${server.status}, so that the application would not notice. ` +
          `Potential solution: ${server.status === 'paused' ? 'resume()' : 'restart()'} it first.`,
      );
    }
    const sessionId = await this.sessionId(connectionName);
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
    server.expireSession(sessionId);
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
    options: ExpectLockOptions = {},
    isSo: (contenders: readonly Contender[]) => boolean,
  ): Promise<void> {
    checkOptions(options, EXPECT_RULES, 'ZkLockTesting');
    const { connection: name, timeoutMs = 1_000, stripes } = options;
    const connection = this.servers.connectionOf(name);
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const contenders = await connection.contenders(key, stripes);
      if (isSo(contenders)) return;
      if (performance.now() > deadline) {
        const nodes = connection.server.sessions().flatMap(({ ephemerals }) => ephemerals);
        throw new LockExpectationError(lockTarget(key, stripes).text, what, timeoutMs, contenders, nodes);
      }
      await sleep(LOOK_EVERY_MS);
    }
  }
}
