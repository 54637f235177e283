import type { Socket } from 'node:net';
import type { Peer } from '../data/peer.js';
import { encode } from '../wire/codec.js';
import { FrameLengthError, FrameSplitter } from '../wire/frame-splitter.js';
import { MalformedRecordError } from '../wire/malformed-record-error.js';
import { Xid } from '../wire/op-codes.js';
import { watchEventCodec, type Id, type WatchEvent } from '../wire/records.js';
import type { Clock } from './clock.js';
import type { Expiring } from './expiry-queue.js';
import { MAX_UNREAD_EVENTS_BYTES, SESSIONLESS_TIMEOUT_MS } from './limits.js';
import { Outbox } from './outbox.js';
import { replyFrame } from './reply-frame.js';
import type { Session } from './session-tracker.js';
import { TrafficStats } from './traffic-stats.js';

/** Who understands what a connection says. */
export interface ConnectionHandler {
  /** Something was read. */
  heard(connection: Connection): void;
  /** One whole frame, without its length. */
  frame(connection: Connection, bytes: Buffer): void;
  /** This int32 stood where a length should: it may be a word of four letters. */
  word(connection: Connection, code: number): void;
  /** There is something to flush, once all that was read is dealt with. */
  toFlush(connection: Connection): void;
  /** All that was read is dealt with. */
  settled(): void;
  /** It is closed. May be told more than once. */
  gone(connection: Connection): void;
}

/** One socket: cuts its input into frames, keeps the order of its output, and stops reading from who does not. */
export class Connection implements Peer, Expiring {
  readonly ids: Id[];
  readonly stats: TrafficStats;
  /** Wall clock. */
  readonly establishedAt: number;
  /** Of the client. */
  readonly address: string;
  readonly port: number;
  readonly outbox: Outbox;
  /** Set by the connect request, also when the session turns out to be expired. */
  sessionId = 0n;
  /** As negotiated on this connection; before that, how long it may live without a session. */
  timeoutMs = SESSIONLESS_TIMEOUT_MS;
  session: Session | undefined;
  expiresAt: number | undefined;
  /** In ms of `elapsed()`: when the frame that is being dealt with was read. */
  receivedAt = 0;
  private readonly splitter: FrameSplitter;
  private input: Generator<Buffer, void> | undefined;
  private closing = false;
  private frozen = false;

  constructor(
    private readonly socket: Socket,
    private readonly clock: Clock,
    private readonly handler: ConnectionHandler,
    { maxBuffer, total }: { maxBuffer: number; total: TrafficStats },
  ) {
    this.stats = new TrafficStats(total);
    this.address = socket.remoteAddress?.replace(/^::ffff:/, '') ?? '';
    this.port = socket.remotePort ?? 0;
    this.ids = [{ scheme: 'ip', id: this.address }];
    this.establishedAt = clock.now();
    this.splitter = new FrameSplitter(maxBuffer);
    this.outbox = new Outbox(socket, clock, () => {
      this.work();
    });
    socket.setNoDelay(true);
    socket.on('data', (chunk) => {
      this.read(chunk);
    });
    socket.on('drain', () => {
      this.work();
    });
    // `close` follows, and that is all there is to know.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.destroy();
    });
  }

  /** Whether it takes part in anything still. */
  get isOpen(): boolean {
    return !this.closing && !this.socket.destroyed;
  }

  /** Whether its requests are being read. */
  get isReading(): boolean {
    return !this.socket.isPaused();
  }

  notify(event: WatchEvent): void {
    this.send(replyFrame({ xid: Xid.notification, zxid: -1n, err: 0 }, encode(watchEventCodec, event)));
    if (this.outbox.unread > MAX_UNREAD_EVENTS_BYTES) this.destroy();
  }

  /** Queues bytes; they are sent when all that was read is dealt with, but not before `readyAt`. */
  send(bytes: Buffer, readyAt = 0): void {
    if (!this.isOpen) return;
    if (this.outbox.size === 0) this.handler.toFlush(this);
    this.outbox.push(bytes, readyAt);
    this.stats.countSent();
  }

  /** Takes no further requests, and closes when everything that was queued is written. */
  end(readyAt = 0): void {
    if (!this.isOpen) return;
    if (this.outbox.size === 0) this.handler.toFlush(this);
    this.outbox.pushClose(readyAt);
    this.closing = true;
  }

  /** Closes at once. */
  destroy(): void {
    this.closing = true;
    this.outbox.discard();
    this.socket.destroy();
    this.handler.gone(this);
  }

  /** Neither reads nor writes until it thaws. */
  freeze(): void {
    this.frozen = true;
    this.socket.pause();
    this.outbox.freeze();
  }

  thaw(): void {
    this.frozen = false;
    this.outbox.thaw();
    this.work();
  }

  private read(chunk: Buffer): void {
    if (!this.isOpen) return;
    this.handler.heard(this);
    this.receivedAt = this.clock.elapsed();
    this.input = this.splitter.push(chunk);
    this.work();
  }

  /** Deals with what was read, as long as there is room for the answers. Reads on when all is dealt with. */
  private work(): void {
    try {
      while (this.isOpen && !this.frozen && this.input !== undefined) {
        if (this.outbox.isFull()) {
          this.socket.pause();
          return;
        }
        const next = this.input.next();
        if (next.done === true) this.input = undefined;
        else this.take(next.value);
      }
      if (!this.frozen && this.socket.isPaused()) this.socket.resume();
    } catch (error) {
      this.refuse(error);
    } finally {
      this.handler.settled();
    }
  }

  private take(bytes: Buffer): void {
    this.stats.countReceived();
    this.handler.frame(this, bytes);
  }

  /** As ZooKeeper does, it closes the connection when it cannot make out what is said. */
  private refuse(error: unknown): void {
    if (error instanceof FrameLengthError) this.handler.word(this, error.length);
    this.end();
    if (!(error instanceof FrameLengthError || error instanceof MalformedRecordError)) throw error;
  }
}
