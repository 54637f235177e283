import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * A new leader is known before it listens. A follower that is refused tries again at once; one whose connection is taken and then
 * closed starts another election, so a link that has taken a connection tries for a while to pass it on.
 */
const PATIENCE_MS = 1_000;
const RETRY_MS = 10;

/** The way from one member of the ensemble to another: carries bytes, until the link is cut off. */
export class Link {
  /** Starts a link to a port of 127.0.0.1. */
  static async start(targetPort: number): Promise<Link> {
    const listener = createServer({ noDelay: true, allowHalfOpen: true, pauseOnConnect: true });
    const link = new Link(listener, targetPort);
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    return link;
  }

  private readonly pipes = new Set<Pipe>();
  private cutOff = false;

  private constructor(
    private readonly listener: Server,
    targetPort: number,
  ) {
    listener.on('connection', (socket) => {
      const pipe = new Pipe(socket, targetPort, () => this.pipes.delete(pipe));
      this.pipes.add(pipe);
      if (!this.cutOff) pipe.resume();
    });
  }

  get port(): number {
    return (this.listener.address() as AddressInfo).port;
  }

  /** Connections stay open, nothing passes in either direction; what was sent meanwhile arrives after the end. */
  set isCutOff(cutOff: boolean) {
    this.cutOff = cutOff;
    for (const pipe of this.pipes) {
      if (cutOff) pipe.pause();
      else pipe.resume();
    }
  }
}

/** One connection of a link. A paused one notices neither bytes nor ends. */
class Pipe {
  private target: Socket | undefined;
  private connecting = false;
  private paused = true;

  constructor(
    private readonly source: Socket,
    private readonly targetPort: number,
    private readonly onEnd: () => void,
  ) {
    source.on('error', () => undefined); // a 'close' follows
    source.on('close', () => this.end());
  }

  pause(): void {
    this.paused = true;
    this.source.pause();
    this.target?.pause();
  }

  resume(): void {
    this.paused = false;
    if (this.target === undefined) {
      if (!this.connecting) void this.connect();
      return;
    }
    this.source.resume();
    this.target.resume();
  }

  private async connect(): Promise<void> {
    this.connecting = true;
    const deadline = performance.now() + PATIENCE_MS;
    let target = await this.tryToConnect();
    while (target === undefined && performance.now() < deadline && !this.source.destroyed) {
      await sleep(RETRY_MS);
      target = await this.tryToConnect();
    }
    this.connecting = false;
    if (target === undefined || this.source.destroyed) {
      this.end();
      target?.destroy();
      return;
    }
    this.target = target;
    target.on('close', () => this.end());
    forward(this.source, target);
    forward(target, this.source);
    if (this.paused) this.pause();
    else this.resume();
  }

  private tryToConnect(): Promise<Socket | undefined> {
    return new Promise((resolve) => {
      const socket = connect({
        port: this.targetPort,
        host: '127.0.0.1',
        noDelay: true,
        allowHalfOpen: true,
      });
      socket.on('connect', () => resolve(socket));
      socket.on('error', () => resolve(undefined));
    });
  }

  private end(): void {
    this.source.destroySoon();
    this.target?.destroySoon();
    this.onEnd();
  }
}

function forward(from: Socket, to: Socket): void {
  from.on('data', (bytes) => to.write(bytes));
  from.on('end', () => to.end());
}
