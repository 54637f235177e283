import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** The way from one member of the ensemble to another: carries bytes, until the link is cut off. */
export class Link {
  /** Starts a link to a port of 127.0.0.1. */
  static async start(targetPort: number): Promise<Link> {
    const listener = createServer({ noDelay: true, allowHalfOpen: true });
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

/** One connection of a link. A stopped one notices neither bytes nor ends. */
class Pipe {
  private target: Socket | undefined;

  constructor(
    private readonly source: Socket,
    private readonly targetPort: number,
    private readonly onEnd: () => void,
  ) {
    source.pause();
    source.on('error', () => undefined);
  }

  pause(): void {
    this.source.pause();
    this.target?.pause();
  }

  resume(): void {
    if (this.target === undefined) {
      const target = connect({
        port: this.targetPort,
        host: '127.0.0.1',
        noDelay: true,
        allowHalfOpen: true,
      });
      this.target = target;
      target.on('error', () => undefined);
      this.forward(this.source, target);
      this.forward(target, this.source);
    }
    this.source.resume();
    this.target.resume();
  }

  private forward(from: Socket, to: Socket): void {
    from.on('data', (bytes) => to.write(bytes));
    from.on('end', () => to.end());
    from.on('close', () => {
      to.destroySoon();
      this.onEnd();
    });
  }
}
