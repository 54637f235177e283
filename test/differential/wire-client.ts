import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { encode } from '../../lib/testing/wire/codec.js';
import { frame, FrameSplitter } from '../../lib/testing/wire/frame-splitter.js';
import { OpCode } from '../../lib/testing/wire/op-codes.js';
import { operations } from '../../lib/testing/wire/operations.js';
import { requestHeaderCodec } from '../../lib/testing/wire/records.js';

const PATIENCE_MS = 10_000;
const LONGEST_FRAME = 16 << 20;
/** Barriers have transaction ids of their own, far above those of requests. */
const FIRST_BARRIER = 1_000_000;

/** One connection to a server, on which every byte is ours. It keeps what arrives, in its order. */
export class WireClient {
  private readonly splitter = new FrameSplitter(LONGEST_FRAME);
  private readonly waiting = new Set<() => void>();
  private frames: Buffer[] = [];
  private barriers = FIRST_BARRIER;
  private passed = FIRST_BARRIER;
  private ended = false;
  private endTaken = false;

  private constructor(private readonly socket: Socket) {
    socket.setNoDelay(true);
    socket.on('data', (chunk) => {
      for (const arrived of this.splitter.push(chunk)) this.arrive(arrived);
      this.wake();
    });
    socket.on('error', () => undefined); // 'close' follows
    socket.on('close', () => {
      this.ended = true;
      this.wake();
    });
  }

  static open(port: number): Promise<WireClient> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(new WireClient(socket));
      });
    });
  }

  get closed(): boolean {
    return this.ended;
  }

  sendRaw(bytes: Buffer): void {
    if (!this.ended) this.socket.write(bytes);
  }

  sendFrame(...parts: Buffer[]): void {
    this.sendRaw(frame(...parts));
  }

  /** The frames that have arrived since the last call, and whether the server has closed the connection since. */
  take(): { frames: Buffer[]; closed: boolean } {
    const frames = this.frames;
    this.frames = [];
    const closed = this.ended && !this.endTaken;
    this.endTaken ||= this.ended;
    return { frames, closed };
  }

  /** The first frame that has arrived since the last call of `take`. */
  takeFirst(): Buffer | undefined {
    return this.frames.shift();
  }

  /** Waits for that many frames, or for the end of the connection. False when neither came. */
  async received(count: number): Promise<boolean> {
    return this.until(() => this.frames.length >= count);
  }

  /**
   * Waits until the server has done all that it was told before: a read goes behind it, and its answer is dropped. A closed
   * connection is done, too. False when the server neither answers nor closes.
   */
  async settled(): Promise<boolean> {
    if (this.ended) return true;
    const barrier = ++this.barriers;
    this.sendFrame(
      encode(requestHeaderCodec, { xid: barrier, type: OpCode.exists }),
      encode(operations.exists.request, { path: '/', watch: false }),
    );
    return this.until(() => this.passed >= barrier);
  }

  /** Waits for the server to close the connection. */
  async ends(): Promise<boolean> {
    return this.until(() => false);
  }

  cut(): void {
    this.endTaken = true;
    this.socket.destroy();
  }

  private arrive(arrived: Buffer): void {
    const xid = arrived.length >= 4 ? arrived.readInt32BE(0) : 0;
    if (xid > FIRST_BARRIER && xid <= this.barriers) this.passed = xid;
    else this.frames.push(Buffer.from(arrived));
  }

  private wake(): void {
    for (const look of this.waiting) look();
  }

  private async until(done: () => boolean): Promise<boolean> {
    const late = new AbortController();
    const happened = new Promise<boolean>((resolve) => {
      const look = () => {
        if (!this.ended && !done()) return;
        this.waiting.delete(look);
        resolve(true);
      };
      this.waiting.add(look);
      look();
    });
    const timeout = sleep(PATIENCE_MS, false, { signal: late.signal }).catch(() => false);
    try {
      return await Promise.race([happened, timeout]);
    } finally {
      late.abort();
    }
  }
}
