import { checkOptions, integers, oneOf, type OptionRules } from '../errors/check-options.js';
import { LockConfigError } from '../errors/lock-config.error.js';
import { shown } from '../errors/shown.js';
import { Database } from './data/database.js';
import { firstZxid } from './server/first-zxid.js';
import { hex } from './server/hex.js';
import { RealClock } from './server/real-clock.js';
import { Rules, type Rule } from './server/rules.js';
import { ServerRun, type ServerConfig, type ServerState } from './server/server-run.js';
import { SessionPasswords } from './server/session-password.js';
import type { Session } from './server/session-tracker.js';
import { VirtualClock } from './server/virtual-clock.js';

/** Options of `TestingServer.start`, all of them optional. */
export interface TestingServerOptions {
  /** 0 to 65,535; 0 (default) for a free one. */
  port?: number;
  /** Address to listen on. Default `127.0.0.1`. */
  host?: string;
  /** ZooKeeper's tickTime in ms: sessions expire in steps of it. Default 2,000. */
  tickTime?: number;
  /** Shortest session timeout in ms that a client gets. Default 2 ticks. */
  minSessionTimeout?: number;
  /** Longest session timeout in ms that a client gets. Default 20 ticks. */
  maxSessionTimeout?: number;
  /** `virtual`: time stands still until `clock.advance(ms)`. Default `real`. */
  clock?: 'real' | 'virtual';
  /** Time in ms between two looks for empty containers and outlived TTL nodes. Default 60,000, as ZooKeeper's. */
  containerCheckInterval?: number;
  /** Whether there are TTL nodes, as with ZooKeeper's extendedTypesEnabled. Default false, as there. */
  ttlNodes?: boolean;
  /** Longest request in bytes (jute.maxbuffer). Default 1,048,575. */
  maxBuffer?: number;
  /** Connections per client address; 0 (default) for no limit. ZooKeeper's own default is 60. */
  maxClientConnections?: number;
  /** Starts with NODE_ENV=production too. Default false. */
  force?: boolean;
}

/** A session as the server sees it. */
export interface TestingSession {
  /** Hex, as in logs: `0x1000…`. */
  readonly id: string;
  /** Negotiated, in ms. */
  readonly timeoutMs: number;
  /** Whether a connection carries it right now. */
  readonly connected: boolean;
  /** Paths of its ephemeral nodes. */
  readonly ephemerals: readonly string[];
}

/** The time of a server. */
export interface TestingClock {
  /** Wall clock in ms since 1970. */
  now(): number;
  /**
   * Lets so many ms pass. Sessions of which nothing was heard for their timeout expire, containers are reaped, delayed
   * answers are sent. Resolves when what follows from it is on its way to the clients.
   * @throws {Error} on a real clock, which cannot be advanced.
   */
  advance(ms: number): Promise<void>;
}

const YEAR_MS = 31_536_000_000;
const RULES: OptionRules<TestingServerOptions> = {
  port: integers(0, 65_535),
  host: {
    allowed: 'addresses and host names',
    accepts: (value) => typeof value === 'string' && value !== '',
  },
  tickTime: integers(1, 3_600_000, ' ms'),
  minSessionTimeout: integers(1, 0x7fff_ffff, ' ms'),
  maxSessionTimeout: integers(1, 0x7fff_ffff, ' ms'),
  clock: oneOf('real', 'virtual'),
  containerCheckInterval: integers(1, 0x7fff_ffff, ' ms'),
  ttlNodes: oneOf(true, false),
  maxBuffer: integers(1_024, 0x3fff_ffff, ' bytes'),
  maxClientConnections: integers(0, 1_000_000),
  force: oneOf(true, false),
};
const ADVANCE = integers(0, YEAR_MS, ' ms');

/**
 * A ZooKeeper server in this process, for development and tests. It speaks the wire protocol of ZooKeeper 3.8, so that
 * any client can connect to it. Its data is in memory only and gone with it; this one process is the whole ensemble.
 * Production wants an ensemble of real ZooKeeper servers.
 *
 * A client of the `zookeeper` package that is closed in the same process blocks the event loop for 1.5 s: it waits for
 * an answer that the server, on the same event loop, cannot give. `expireSession(id)` right before the close avoids it.
 *
 * ```ts
 * await using server = await TestingServer.start();
 * const client = connectTo(server.connectString);
 * ```
 */
export class TestingServer implements AsyncDisposable {
  readonly port: number;
  /** `host:port`, as clients want it. */
  readonly connectString: string;
  readonly clock: TestingClock;
  private paused = false;

  private constructor(
    private run: ServerRun | undefined,
    private readonly state: ServerState,
    private readonly config: ServerConfig,
  ) {
    this.port = config.port;
    const host = config.host.includes(':') ? `[${config.host}]` : config.host;
    this.connectString = `${host}:${config.port}`;
    this.clock = {
      now: () => state.clock.now(),
      advance: (ms) => this.advance(ms),
    };
  }

  /**
   * Resolves when it takes connections.
   * @throws {LockConfigError} for an option out of its range.
   * @throws {Error} with NODE_ENV=production unless `force` is set, and when the port is taken.
   */
  static async start(options: TestingServerOptions = {}): Promise<TestingServer> {
    checkOptions(options, RULES, 'option of TestingServer.start');
    if (process.env.NODE_ENV === 'production' && options.force !== true) {
      throw new Error(
        'TestingServer does not start with NODE_ENV=production: it keeps its data in memory and is no ensemble. ' +
          'Use ZooKeeper in production, or set the option "force" to true.',
      );
    }
    const config = configOf(options);
    const clock = options.clock === 'virtual' ? new VirtualClock() : new RealClock();
    const state: ServerState = {
      database: new Database({
        now: () => clock.now(),
        firstZxid: firstZxid(Date.now()),
        ttlNodes: options.ttlNodes ?? false,
      }),
      passwords: new SessionPasswords(),
      rules: new Rules(),
      clock,
    };
    const run = await ServerRun.start(state, config);
    return new TestingServer(run, state, { ...config, port: run.port });
  }

  /** Closes every connection and the port. Data and sessions stay, for a `restart`. */
  async stop(): Promise<void> {
    const { run } = this;
    this.run = undefined;
    this.paused = false;
    await run?.stop();
  }

  /**
   * Stops it, if it runs, and starts it on the same port. Data and sessions survive, connections and watches do not;
   * each session has its whole timeout to come back. Zxids go on above the old ones.
   */
  async restart(): Promise<void> {
    await this.stop();
    this.state.database.raiseZxid(firstZxid(Date.now()));
    this.run = await ServerRun.start(this.state, this.config);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /** Lets the process end although the server runs, until the next `restart`; as `net.Server.unref()`. */
  unref(): void {
    this.run?.unref();
  }

  /** The sessions that live, connected or not. */
  sessions(): readonly TestingSession[] {
    const { database } = this.state;
    return [...database.sessions].map(([id, timeoutMs]) => ({
      id: hex(id),
      timeoutMs,
      connected: this.run?.sessions.connectionOf(id) !== undefined,
      ephemerals: database.ephemeralsOf(id),
    }));
  }

  /**
   * Expires the session at once, as if nothing had been heard of it for its timeout: its ephemeral nodes are deleted,
   * its connection is closed.
   * @param id hex, with or without `0x`.
   * @throws {Error} when there is no such session.
   */
  expireSession(id: string): void {
    const run = this.running('expireSession');
    run.sessions.expire(this.find(run, id));
    run.settle();
  }

  /**
   * Closes the session's connection, if it has one. The session lives on.
   * @param id hex, with or without `0x`.
   * @throws {Error} when there is no such session.
   */
  dropConnection(id: string): void {
    const run = this.running('dropConnection');
    run.sessions.connectionOf(this.find(run, id).id)?.destroy();
  }

  /** As SIGSTOP does to a server's process: connections stay, but nothing is read, answered or expired. */
  pause(): void {
    if (this.paused) return;
    this.running('pause').pause();
    this.paused = true;
  }

  /** As SIGCONT: sessions that are due meanwhile expire first. */
  resume(): void {
    if (!this.paused) return;
    this.running('resume').resume();
    this.paused = false;
  }

  /**
   * Asks the rule about each request before it is applied. Of several rules, the first that has a verdict decides; they
   * outlive a restart. Hands back what removes the rule.
   */
  intercept(rule: Rule): () => void {
    return this.state.rules.add(rule);
  }

  /**
   * Sets the number that the next sequential child of this node gets, up to 2^31 - 1.
   * @throws {Error} when there is no such node.
   */
  setSequence(path: string, next: number): void {
    this.state.database.setSequence(path, next);
  }

  /** The whole tree as text, for messages. */
  dump(): string {
    return this.state.database.dump();
  }

  private async advance(ms: number): Promise<void> {
    const { clock } = this.state;
    if (!(clock instanceof VirtualClock)) {
      throw new Error(`A real clock cannot be advanced: start the server with clock: 'virtual'.`);
    }
    if (!ADVANCE.accepts(ms)) {
      throw new RangeError(`clock.advance(${shown(ms)}); allowed are ${ADVANCE.allowed}.`);
    }
    clock.advance(ms);
    await new Promise((resolve) => setImmediate(resolve));
  }

  private running(method: string): ServerRun {
    if (this.run === undefined)
      throw new Error(`${method}(): the server at ${this.connectString} is stopped.`);
    return this.run;
  }

  private find(run: ServerRun, id: string): Session {
    const session = /^(0x)?[0-9a-f]{1,16}$/i.test(id)
      ? run.sessions.tracker.find(BigInt.asIntN(64, BigInt(`0x${id.replace(/^0x/i, '')}`)))
      : undefined;
    if (session !== undefined) return session;
    const known = this.sessions().map((each) => each.id);
    throw new Error(
      `There is no session ${shown(id)} at ${this.connectString}. Known: ${known.join(', ') || 'none'}.`,
    );
  }
}

/** @throws {LockConfigError} when no session timeout is left. */
function configOf(options: TestingServerOptions): ServerConfig {
  const { tickTime = 2_000 } = options;
  const { minSessionTimeout = 2 * tickTime, maxSessionTimeout = 20 * tickTime } = options;
  if (minSessionTimeout > maxSessionTimeout) {
    throw new LockConfigError(
      `minSessionTimeout ${minSessionTimeout} ms is above maxSessionTimeout ${maxSessionTimeout} ms. ` +
        `Without these options they are 2 and 20 ticks of ${tickTime} ms.`,
    );
  }
  return {
    host: options.host ?? '127.0.0.1',
    port: options.port ?? 0,
    tickTime,
    minSessionTimeout,
    maxSessionTimeout,
    containerCheckInterval: options.containerCheckInterval ?? 60_000,
    maxBuffer: options.maxBuffer ?? 0xf_ffff,
    maxClientConnections: options.maxClientConnections ?? 0,
  };
}
