import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface, type Interface } from 'node:readline';
import { freePort } from '../../../scripts/zookeeper/free-port.mjs';
import { fourLetter, mntr, mode } from '../../../scripts/zookeeper/zookeeper-process.mjs';
import type { ZooKeeperServer, ZooKeeperServerOptions } from '../zookeeper-server.js';
import type { Answer, Command } from './protocol.js';

/**
 * A `TestingServer` in the place of a real server. It runs in another process, as a real one does: in the process of the
 * tests it would stand still when a test blocks the event loop, and while the ZooKeeper client closes, which waits for the
 * server's answer.
 */
export class EmbeddedServer implements ZooKeeperServer {
  private constructor(
    readonly port: number,
    private readonly socket: Socket,
    private readonly answers: Interface,
  ) {}

  /** @throws {Error} when jest was started without ZK_SERVER=embedded, whose global set-up starts the process. */
  static async start(options: ZooKeeperServerOptions): Promise<EmbeddedServer> {
    const { port = await freePort(), tickTime = 500, containerCheckMs = 60_000 } = options;
    const { minSessionTimeout = 1_000, maxSessionTimeout = 60_000 } = options;
    const socket = connect(Number(process.env.ZK_EMBEDDED_PORT), '127.0.0.1');
    await once(socket, 'connect');
    const server = new EmbeddedServer(port, socket, createInterface({ input: socket }));
    await server.ask({
      method: 'start',
      options: {
        port,
        tickTime,
        minSessionTimeout,
        maxSessionTimeout,
        containerCheckInterval: containerCheckMs,
      },
    });
    return server;
  }

  get connectString(): string {
    return `127.0.0.1:${this.port}`;
  }

  start(): Promise<void> {
    return this.ask({ method: 'restart' });
  }

  stop(): Promise<void> {
    return this.ask({ method: 'stop' });
  }

  pause(): Promise<void> {
    return this.ask({ method: 'pause' });
  }

  resume(): Promise<void> {
    return this.ask({ method: 'resume' });
  }

  mode(): Promise<string | undefined> {
    return mode(this.port);
  }

  fourLetter(command: string, timeoutMs?: number): Promise<string> {
    return fourLetter(this.port, command, timeoutMs);
  }

  mntr(): Promise<Record<string, number | string>> {
    return mntr(this.port);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    this.socket.destroy();
  }

  private async ask(command: Command): Promise<void> {
    const answer = once(this.answers, 'line');
    this.socket.write(`${JSON.stringify(command)}\n`);
    const [line] = (await answer) as [string];
    const { error } = JSON.parse(line) as Answer;
    if (error !== undefined) throw new Error(error);
  }
}
