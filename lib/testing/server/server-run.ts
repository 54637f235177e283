import { createServer, type AddressInfo, type Server } from 'node:net';
import type { Database } from '../data/database.js';
import type { Clock } from './clock.js';
import type { Connection } from './connection.js';
import { Connections, type Speech } from './connections.js';
import { FourLetterWords } from './four-letter-words.js';
import { Handshake } from './handshake.js';
import { Reaper } from './reaper.js';
import { RequestLoop } from './request-loop.js';
import type { Rules } from './rules.js';
import type { SessionPasswords } from './session-password.js';
import { Sessions } from './sessions.js';
import { TrafficStats } from './traffic-stats.js';

export interface ServerConfig {
  readonly host: string;
  /** 0 for a free one. */
  readonly port: number;
  /** Times in ms. */
  readonly tickTime: number;
  readonly minSessionTimeout: number;
  readonly maxSessionTimeout: number;
  readonly containerCheckInterval: number;
  /** jute.maxbuffer, in bytes. */
  readonly maxBuffer: number;
  /** Per address; 0 for no limit. */
  readonly maxClientConnections: number;
}

/** What outlives a run: another can follow on it. */
export interface ServerState {
  readonly database: Database;
  readonly passwords: SessionPasswords;
  readonly rules: Rules;
  readonly clock: Clock;
}

/** A server from its start to its stop. */
export class ServerRun implements Speech {
  readonly port: number;
  readonly sessions: Sessions;
  private readonly connections: Connections;
  private readonly handshake: Handshake;
  private readonly requests: RequestLoop;
  private readonly words: FourLetterWords;
  private readonly reaper: Reaper;

  private constructor(
    private readonly listener: Server,
    private readonly state: ServerState,
    config: ServerConfig,
  ) {
    const { database, passwords, clock } = state;
    this.port = (listener.address() as AddressInfo).port;
    const total = new TrafficStats();
    const connections = new Connections({ ...config, clock, total, speech: this });
    const settle = () => {
      connections.settled();
    };
    this.connections = connections;
    this.sessions = new Sessions(database, passwords, clock, config.tickTime, settle);
    this.reaper = new Reaper(clock, config.containerCheckInterval, () => {
      database.reap();
      settle();
    });
    this.handshake = new Handshake({ ...state, ...config, sessions: this.sessions });
    this.requests = new RequestLoop({ ...state, sessions: this.sessions });
    this.words = new FourLetterWords({
      database,
      clock,
      connections,
      sessions: this.sessions,
      stats: total,
      startedAt: clock.elapsed(),
      config: { ...config, port: this.port },
    });
    this.sessions.tracker.start();
    this.reaper.start();
    listener.on('connection', (socket) => {
      connections.accept(socket);
    });
  }

  /** @throws {Error} the system's, when the port cannot be had. */
  static async start(state: ServerState, config: ServerConfig): Promise<ServerRun> {
    const listener = createServer();
    await new Promise<void>((resolve, reject) => {
      listener.once('error', reject);
      listener.listen({ host: config.host, port: config.port }, () => {
        listener.off('error', reject);
        resolve();
      });
    });
    return new ServerRun(listener, state, config);
  }

  frame(connection: Connection, bytes: Buffer): void {
    const { session } = connection;
    if (session === undefined) this.handshake.connect(connection, bytes);
    else this.requests.serve(connection, session, bytes);
  }

  word(connection: Connection, code: number): void {
    this.words.answer(connection, code);
  }

  gone(connection: Connection): void {
    this.sessions.detach(connection);
    this.state.database.disconnect(connection);
  }

  /** Sends what was queued outside of the connections' own turns. */
  settle(): void {
    this.connections.settled();
  }

  /** As SIGSTOP does to a process: nothing is read, answered or expired. */
  pause(): void {
    this.sessions.tracker.stop();
    this.reaper.stop();
    this.connections.freeze();
  }

  /** As SIGCONT: what expired meanwhile expires first. */
  resume(): void {
    this.sessions.tracker.start();
    this.reaper.start();
    this.connections.thaw();
  }

  /** Sends at once what was delayed. */
  hurry(): void {
    for (const { outbox } of this.connections) outbox.hurry();
  }

  /** The listening socket does not keep the process alive any more. */
  unref(): void {
    this.listener.unref();
  }

  /** Resolves when every socket is closed and the port is free. */
  async stop(): Promise<void> {
    this.sessions.tracker.stop();
    this.reaper.stop();
    const closed = new Promise((resolve) => {
      this.listener.close(resolve);
    });
    this.connections.close();
    await closed;
  }
}
