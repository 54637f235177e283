import { checkOption, checkOptions, integers } from '../errors/check-options.js';
import { LockConfigError } from '../errors/lock-config.error.js';
import { shown } from '../errors/shown.js';
import { Database } from './data/database.js';
import { firstZxid } from './server/first-zxid.js';
import { hex } from './server/hex.js';
import { RealClock } from './server/real-clock.js';
import { Rules, type InterceptOptions, type Rule } from './server/rules.js';
import { ServerRun, type ServerConfig, type ServerState } from './server/server-run.js';
import { SessionPasswords } from './server/session-password.js';
import type { Session } from './server/session-tracker.js';
import { VirtualClock } from './server/virtual-clock.js';
import { configOf, RULES, type TestingServerOptions } from './testing-server-options.js';

export type { TestingServerOptions };

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
const ADVANCE = integers(0, YEAR_MS, ' ms');
const SEQUENCE = integers(0, 0x7fff_ffff);

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
  /** The stop or restart that was asked for last. */
  private turn: Promise<void> = Promise.resolve();

  private constructor(
    private run: ServerRun | undefined,
    /** @internal */
    readonly state: ServerState,
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
    checkOptions(options, RULES, 'TestingServer.start');
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
  stop(): Promise<void> {
    return this.inTurn(() => this.end());
  }

  /**
   * Stops it, if it runs, and starts it on the same port. Data and sessions survive, connections and watches do not;
   * each session has its whole timeout to come back. Zxids go on above the old ones. Stops and restarts that are asked
   * for at the same time are done one after the other.
   */
  restart(): Promise<void> {
    return this.inTurn(async () => {
      await this.end();
      this.state.database.raiseZxid(firstZxid(Date.now()));
      this.run = await ServerRun.start(this.state, this.config);
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  get status(): 'running' | 'paused' | 'stopped' {
    if (this.run === undefined) return 'stopped';
    return this.paused ? 'paused' : 'running';
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
   * outlive a restart. Hands back what removes the rule. A rule that throws or returns no proper verdict is removed, the
   * connection is closed, and the error is an uncaught exception of the process, which fails the test.
   * @throws {LockConfigError} for what is no function, and for options out of their range.
   */
  intercept(rule: Rule, options?: InterceptOptions): () => void {
    return this.state.rules.add(rule, options);
  }

  /**
   * Sets the number that the next sequential child of this node gets, up to 2^31 - 1.
   * @throws {LockConfigError} for what is no path or no such number.
   * @throws {Error} when there is no such node.
   */
  setSequence(path: string, next: number): void {
    if (typeof path !== 'string')
      throw new LockConfigError(`setSequence(${shown(path)}, …): expected a path.`);
    checkOption('next', next, SEQUENCE);
    this.state.database.setSequence(path, next);
  }

  /** The whole tree as text, for messages. */
  dump(): string {
    return this.state.database.dump();
  }

  /** @internal Takes back every fault: a test that failed in the middle of one must not disturb what is cleaned up. */
  async heal(): Promise<void> {
    this.state.rules.clear();
    await this.turn;
    if (this.run === undefined) await this.restart();
    this.resume();
    this.run?.hurry();
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

  private async end(): Promise<void> {
    const { run } = this;
    this.run = undefined;
    this.paused = false;
    await run?.stop();
  }

  /** One that fails does not keep the next one from its turn. */
  private inTurn(action: () => Promise<void>): Promise<void> {
    const done = this.turn.then(action);
    this.turn = done.catch(() => undefined);
    return done;
  }

  private running(method: string): ServerRun {
    if (this.run === undefined)
      throw new Error(`${method}(): the server at ${this.connectString} is stopped.`);
    return this.run;
  }

  private find(run: ServerRun, id: string): Session {
    const session =
      typeof id === 'string' && /^(0x)?[0-9a-f]{1,16}$/i.test(id)
        ? run.sessions.tracker.find(BigInt.asIntN(64, BigInt(`0x${id.replace(/^0x/i, '')}`)))
        : undefined;
    if (session !== undefined) return session;
    const known = this.sessions().map((each) => each.id);
    throw new Error(
      `There is no session ${shown(id)} at ${this.connectString}. Known: ${known.join(', ') || 'none'}.`,
    );
  }
}
