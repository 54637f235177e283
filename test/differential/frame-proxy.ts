import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { frame, FrameSplitter } from '../../lib/testing/wire/frame-splitter.js';

const LONGEST_FRAME = 16 << 20;

/** What becomes of a frame from the server; called for each, for one connection. */
export type Change = (frame: Buffer) => Buffer[];

/** Stands before a server, and changes what it says to its clients. */
export class FrameProxy implements AsyncDisposable {
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  /** @param change made anew for each connection */
  static async start(serverPort: number, change: () => Change): Promise<FrameProxy> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = new FrameProxy(server, (server.address() as AddressInfo).port);
    server.on('connection', (client) => proxy.join(client, connect(serverPort, '127.0.0.1'), change()));
    return proxy;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private join(client: Socket, server: Socket, change: Change): void {
    const splitter = new FrameSplitter(LONGEST_FRAME);
    for (const socket of [client, server]) {
      this.sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => undefined); // 'close' follows
      socket.on('close', () => this.sockets.delete(socket));
    }
    client.pipe(server);
    client.on('close', () => server.destroy());
    server.on('data', (chunk) => {
      for (const arrived of splitter.push(chunk)) {
        for (const changed of change(Buffer.from(arrived))) client.write(frame(changed));
      }
    });
    server.on('close', () => client.end());
  }
}
