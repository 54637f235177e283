import type { Socket } from 'node:net';
import type { Clock } from './clock.js';
import { Connection, type ConnectionHandler } from './connection.js';
import { ExpiryQueue } from './expiry-queue.js';
import { SESSIONLESS_TIMEOUT_MS } from './limits.js';
import type { TrafficStats } from './traffic-stats.js';

/** What a server makes of its connections' words. */
export interface Speech {
  frame(connection: Connection, bytes: Buffer): void;
  word(connection: Connection, code: number): void;
  gone(connection: Connection): void;
}

export interface ConnectionsOptions {
  readonly clock: Clock;
  /** jute.maxbuffer, in bytes. */
  readonly maxBuffer: number;
  /** Per address; 0 for no limit. */
  readonly maxClientConnections: number;
  /** Counts the traffic of all of them. */
  readonly total: TrafficStats;
  readonly speech: Speech;
}

/** All connections of a server: takes them in, flushes them, and closes those that nothing is heard of. */
export class Connections implements ConnectionHandler {
  private readonly open = new Set<Connection>();
  private readonly unflushed = new Set<Connection>();
  private readonly idle: ExpiryQueue<Connection>;
  private cancelWait: (() => void) | undefined;
  private frozen = false;

  constructor(private readonly options: ConnectionsOptions) {
    this.idle = new ExpiryQueue(
      () => options.clock.elapsed(),
      SESSIONLESS_TIMEOUT_MS,
      () => {
        if (!this.frozen) this.wait();
      },
    );
  }

  get size(): number {
    return this.open.size;
  }

  [Symbol.iterator](): IterableIterator<Connection> {
    return this.open.values();
  }

  accept(socket: Socket): void {
    const { clock, maxClientConnections } = this.options;
    const connection = new Connection(socket, clock, this, this.options);
    if (maxClientConnections > 0 && this.from(connection.address) >= maxClientConnections) {
      connection.destroy();
      return;
    }
    this.open.add(connection);
    this.idle.update(connection, connection.timeoutMs);
    if (this.frozen) connection.freeze();
  }

  heard(connection: Connection): void {
    this.idle.update(connection, connection.timeoutMs);
  }

  frame(connection: Connection, bytes: Buffer): void {
    this.options.speech.frame(connection, bytes);
  }

  word(connection: Connection, code: number): void {
    this.options.speech.word(connection, code);
  }

  toFlush(connection: Connection): void {
    this.unflushed.add(connection);
  }

  /** Everybody whose answers and events were queued gets them, each in one write. */
  settled(): void {
    for (const connection of this.unflushed) connection.outbox.flush();
    this.unflushed.clear();
  }

  gone(connection: Connection): void {
    if (!this.open.delete(connection)) return;
    this.idle.remove(connection);
    this.options.speech.gone(connection);
  }

  freeze(): void {
    this.frozen = true;
    this.cancelWait?.();
    for (const connection of this.open) connection.freeze();
  }

  thaw(): void {
    this.frozen = false;
    this.expireIdle();
    for (const connection of this.open) connection.thaw();
  }

  /** Closes all at once. */
  close(): void {
    this.cancelWait?.();
    for (const connection of this.open) connection.destroy();
  }

  /** The buckets by their time. */
  byExpiry(): ReturnType<ExpiryQueue<Connection>['byTime']> {
    return this.idle.byTime();
  }

  private from(address: string): number {
    let count = 0;
    for (const connection of this.open) if (connection.address === address) count += 1;
    return count;
  }

  private expireIdle(): void {
    for (const connection of this.idle.due()) connection.destroy();
    this.wait();
  }

  private wait(): void {
    this.cancelWait?.();
    this.cancelWait = this.options.clock.at(this.idle.nextAt, () => {
      this.expireIdle();
    });
  }
}
