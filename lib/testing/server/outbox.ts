import type { Socket } from 'node:net';
import type { Clock } from './clock.js';
import { MAX_OUTSTANDING, MAX_UNREAD_BYTES } from './limits.js';

interface Outgoing {
  /** Undefined: close the connection when everything before it is written. */
  readonly bytes: Buffer | undefined;
  /** Not before this time of `elapsed()`. */
  readonly readyAt: number;
}

/** What a connection has to send, in its order: one write for all that is ready. */
export class Outbox {
  private queue: Outgoing[] = [];
  private queuedBytes = 0;
  private frozen = false;
  private cancelWait: (() => void) | undefined;

  /** @param afterDelay is called when delayed answers were sent. */
  constructor(
    private readonly socket: Socket,
    private readonly clock: Clock,
    private readonly afterDelay: () => void,
  ) {}

  /** Answers and events that wait here. */
  get size(): number {
    return this.queue.length;
  }

  /** Bytes that the client has not taken yet. */
  get unread(): number {
    return this.queuedBytes + this.socket.writableLength;
  }

  push(bytes: Buffer, readyAt = 0): void {
    this.queue.push({ bytes, readyAt });
    this.queuedBytes += bytes.length;
  }

  /** Closes the connection once everything before it is written. */
  pushClose(readyAt = 0): void {
    this.queue.push({ bytes: undefined, readyAt });
  }

  /** Whether so much waits that no more should be asked for. Sends what it can first. */
  isFull(): boolean {
    if (!this.isOverLimit()) return false;
    this.flush();
    return this.isOverLimit();
  }

  /** Writes what is ready. What stands behind a delayed answer waits with it. */
  flush(): void {
    if (this.frozen || this.size === 0) return;
    const ready = this.takeReady();
    const parts = ready.flatMap(({ bytes }) => bytes ?? []);
    const [first] = parts;
    if (first !== undefined) this.socket.write(parts.length === 1 ? first : Buffer.concat(parts));
    if (parts.length < ready.length) this.socket.destroySoon();
  }

  /** What was delayed is ready now. */
  hurry(): void {
    this.queue = this.queue.map(({ bytes }) => ({ bytes, readyAt: 0 }));
    this.flush();
  }

  freeze(): void {
    this.frozen = true;
    this.stopWaiting();
  }

  thaw(): void {
    this.frozen = false;
    this.flush();
  }

  /** Forgets everything. */
  discard(): void {
    this.queue = [];
    this.queuedBytes = 0;
    this.stopWaiting();
  }

  private isOverLimit(): boolean {
    return this.size >= MAX_OUTSTANDING || this.unread >= MAX_UNREAD_BYTES;
  }

  private takeReady(): Outgoing[] {
    const now = this.clock.elapsed();
    const late = this.queue.findIndex(({ readyAt }) => readyAt > now);
    const ready = late === -1 ? this.queue : this.queue.splice(0, late);
    if (late === -1) this.queue = [];
    for (const { bytes } of ready) this.queuedBytes -= bytes?.length ?? 0;
    this.waitForHead();
    return ready;
  }

  private waitForHead(): void {
    this.stopWaiting();
    const [head] = this.queue;
    if (head === undefined) return;
    this.cancelWait = this.clock.at(head.readyAt, () => {
      this.flush();
      this.afterDelay();
    });
  }

  private stopWaiting(): void {
    this.cancelWait?.();
    this.cancelWait = undefined;
  }
}
