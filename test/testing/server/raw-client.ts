import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { decode, encode, type Codec, type Decoded } from '../../../lib/testing/wire/codec.js';
import { frame, FrameSplitter } from '../../../lib/testing/wire/frame-splitter.js';
import { JuteReader } from '../../../lib/testing/wire/jute-reader.js';
import { OpCode, Xid } from '../../../lib/testing/wire/op-codes.js';
import { operations } from '../../../lib/testing/wire/operations.js';
import {
  connectRequestCodec,
  connectResponseCodec,
  replyHeaderCodec,
  requestHeaderCodec,
  watchEventCodec,
  type ConnectRequest,
  type ConnectResponse,
  type WatchEvent,
} from '../../../lib/testing/wire/records.js';
import { waitFor } from '../../support/wait-for.js';

export const OPEN_ACL = [{ perms: 31, id: { scheme: 'world', id: 'anyone' } }];

export interface Reply {
  xid: number;
  zxid: bigint;
  err: number;
  body: Buffer;
}

type Op = keyof typeof operations;
type Request<O extends Op> = Decoded<(typeof operations)[O]['request']>;

/** A client that says exactly what it is told to, and keeps all that it hears in order. */
export class RawClient implements AsyncDisposable {
  /** Answers and events, the connect answer left out, in the order of their arrival. */
  readonly heard: (Reply | WatchEvent)[] = [];
  readonly replies: Reply[] = [];
  readonly events: WatchEvent[] = [];
  session: ConnectResponse | undefined;
  bytesRead = 0;
  private nextXid = 1;
  private readonly splitter = new FrameSplitter(0x3fff_ffff);
  private readonly closed: Promise<unknown>;

  private constructor(
    readonly socket: Socket,
    private readonly port: number,
  ) {
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    this.closed = once(socket, 'close').catch(() => undefined);
    socket.on('data', (chunk) => {
      this.bytesRead += chunk.length;
      for (const bytes of this.splitter.push(chunk)) this.hear(bytes);
    });
  }

  /** A socket, and nothing said yet. */
  static async dial(port: number): Promise<RawClient> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new RawClient(socket, port);
  }

  /** With a session; `connect` says what differs from asking for a new one with 10 s. */
  static async open(port: number, request: Partial<ConnectRequest> = {}): Promise<RawClient> {
    const client = await RawClient.dial(port);
    await client.connect(request);
    return client;
  }

  get localPort(): number {
    return this.socket.localPort ?? 0;
  }

  get sessionId(): string {
    return `0x${(this.session?.sessionId ?? 0n).toString(16)}`;
  }

  /** Undefined when the server closed the connection instead of an answer. */
  async connect(request: Partial<ConnectRequest> = {}): Promise<ConnectResponse | undefined> {
    this.write(
      frame(
        encode(connectRequestCodec, {
          protocolVersion: 0,
          lastZxidSeen: 0n,
          timeOut: 10_000,
          sessionId: 0n,
          passwd: Buffer.alloc(16),
          readOnly: false,
          ...request,
        }),
      ),
    );
    await waitFor(() => this.session !== undefined || this.isClosed, { what: 'answer to connect' });
    return this.session;
  }

  /** The same session on another connection. */
  reopen(request: Partial<ConnectRequest> = {}): Promise<RawClient> {
    const { sessionId = 0n, passwd = null } = this.session ?? {};
    return RawClient.open(this.port, { sessionId, passwd, ...request });
  }

  get isClosed(): boolean {
    return this.socket.closed;
  }

  /** Resolves when the server has closed the connection. */
  async end(): Promise<void> {
    await Promise.race([this.closed, timeout('the server did not close the connection')]);
  }

  write(bytes: Buffer): void {
    this.socket.write(bytes);
  }

  /** The frame of a request. */
  encode<O extends Op>(op: O, request: Request<O>, xid = this.nextXid++): Buffer {
    const codec = operations[op].request as Codec<Request<O>>;
    return frame(encode(requestHeaderCodec, { xid, type: OpCode[op] }), encode(codec, request));
  }

  /** Sends a request and waits for its answer; undefined when the connection was closed instead. */
  async ask<O extends Op>(op: O, request: Request<O>): Promise<Reply | undefined> {
    const xid = op === 'ping' ? Xid.ping : this.nextXid++;
    const seen = this.replies.length;
    this.write(this.encode(op, request, xid));
    const answer = () => this.replies.slice(seen).find((reply) => reply.xid === xid);
    await waitFor(() => answer() !== undefined || this.isClosed, { what: `answer to ${op}`, everyMs: 1 });
    return answer();
  }

  create(path: string, flags = 0, data = ''): Promise<Reply | undefined> {
    return this.ask('create', { path, data: Buffer.from(data), acl: OPEN_ACL, flags });
  }

  async exists(path: string, watch = false): Promise<boolean> {
    return (await this.ask('exists', { path, watch }))?.err === 0;
  }

  /** A word of four letters: everything that comes back until the connection is closed. */
  static async word(port: number, word: string): Promise<string> {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(word);
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    await Promise.race([once(socket, 'close'), timeout(`no end of the answer to ${word}`)]);
    return Buffer.concat(chunks).toString();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.socket.destroy();
    await this.closed;
  }

  private hear(bytes: Buffer): void {
    if (this.session === undefined) {
      this.session = decode(connectResponseCodec, bytes);
      return;
    }
    const reader = new JuteReader(bytes);
    const header = replyHeaderCodec.read(reader);
    // A request may have had the xid of an event; no answer with a body has no zxid.
    if (header.xid === Xid.notification && header.zxid === -1n && reader.remaining > 0) {
      const event = watchEventCodec.read(reader);
      this.events.push(event);
      this.heard.push(event);
    } else {
      const reply = { ...header, body: reader.rest };
      this.replies.push(reply);
      this.heard.push(reply);
    }
  }
}

function timeout(message: string): Promise<never> {
  return new Promise((_resolve, reject) => {
    setTimeout(() => reject(new Error(message)), 10_000).unref();
  });
}
