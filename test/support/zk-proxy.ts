import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  FaultRule,
  matches,
  type FaultAction,
  type RequestMatch,
  type RequestRecord,
} from './proxy/fault-rules.js';
import { ProxyConnection, type Direction, type ProxyHub } from './proxy/proxy-connection.js';
import type { SessionCredentials, ZkOp } from './proxy/zk-wire.js';

export type { FaultAction, FaultRule, RequestMatch, RequestRecord } from './proxy/fault-rules.js';

/** How long answers are held back while round trips are counted, so that all requests that wait for no answer come first. */
const ANSWER_HOLD_MS = 25;

/** A TCP proxy before one ZooKeeper server that understands frames: it logs requests and makes faults on demand. */
export class ZkProxy implements AsyncDisposable {
  /** Every request since the start or the last `reset()`, pings left out. */
  requests: RequestRecord[] = [];
  private readonly connections = new Set<ProxyConnection>();
  private readonly rules: FaultRule[] = [];
  private readonly closed = new Set<Direction>();
  private accepted = 0;
  private refusing = false;
  private trips: RoundTripCount | undefined;

  /** Starts a proxy on a free port of 127.0.0.1 before the server on `port`. */
  static async start({ port }: { port: number }): Promise<ZkProxy> {
    const listener = createServer({ noDelay: true, allowHalfOpen: true });
    const proxy = new ZkProxy(listener, port);
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    return proxy;
  }

  private constructor(
    private readonly listener: Server,
    private readonly serverPort: number,
  ) {
    listener.on('connection', (socket) => this.accepts(socket));
  }

  get port(): number {
    return (this.listener.address() as AddressInfo).port;
  }

  get connectString(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** How many connections clients have made so far, refused ones left out. */
  get connectionCount(): number {
    return this.accepted;
  }

  /** The sessions whose connections are open now. */
  get sessions(): SessionCredentials[] {
    const open = [...this.connections].filter(({ isOpen }) => isOpen);
    return open.map(({ session }) => session).filter((session) => session !== undefined);
  }

  /** How many requests were seen, by operation and path. */
  count(op: ZkOp, path?: string | RegExp): number {
    return this.requests.filter((request) => matches(request, { op, path })).length;
  }

  /** Forgets the requests seen so far; rules and faults stay. */
  reset(): void {
    this.requests = [];
  }

  /**
   * Runs `action` and counts the round trips that it took: the longest chain of requests of which each was sent after
   * an answer to the one before. `only` leaves other requests out, such as those of a background task.
   */
  async roundTrips(
    action: () => Promise<unknown>,
    only: (request: RequestRecord) => boolean = () => true,
  ): Promise<number> {
    if (this.trips) throw new Error('Round trips are being counted already.');
    const trips = new RoundTripCount(only);
    this.trips = trips;
    try {
      await action();
      return trips.total;
    } finally {
      this.trips = undefined;
    }
  }

  /** Adds a fault for the next `times` (default 1) requests that match. The oldest rule that matches takes the request. */
  on(match: RequestMatch & { times?: number }, action: FaultAction): FaultRule {
    const rule = new FaultRule(match, action);
    this.rules.push(rule);
    return rule;
  }

  /** A network partition: connections stay open, nothing passes. A client that connects meanwhile hears nothing. */
  blackhole(direction: Direction | 'both'): void {
    if (direction !== 'to-client') this.closed.add('to-server');
    if (direction !== 'to-server') this.closed.add('to-client');
  }

  /** Ends the partition: what was sent meanwhile arrives now, as TCP would have it. */
  heal(): void {
    this.closed.clear();
    for (const connection of this.connections) connection.flush();
  }

  /** Cuts every open connection. */
  cutAll(): void {
    for (const connection of this.connections) connection.cut();
  }

  /** Resets every new connection, as if no server were there. */
  refuse(): void {
    this.refusing = true;
  }

  /** Takes new connections again. */
  accept(): void {
    this.refusing = false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const rule of this.rules) rule.release();
    for (const connection of this.connections) connection.destroy();
    this.listener.close();
    await once(this.listener, 'close');
  }

  private accepts(socket: Socket): void {
    if (this.refusing) {
      socket.resetAndDestroy();
      return;
    }
    for (const connection of this.connections) if (!connection.isOpen) this.connections.delete(connection);
    this.connections.add(new ProxyConnection(++this.accepted, socket, this.hub()));
  }

  private hub(): ProxyHub {
    return {
      serverPort: this.serverPort,
      isOpen: (direction) => !this.closed.has(direction),
      requested: (record) => {
        this.requests.push(record);
        this.trips?.requested(record);
        return this.rules.find((rule) => rule.take(record));
      },
      answered: (record) => this.trips?.answered(record),
      answerDelay: () => this.trips && sleep(ANSWER_HOLD_MS),
    };
  }
}

/** Depth of each request in the chain of requests and answers, per connection. */
class RoundTripCount {
  private readonly depths = new Map<RequestRecord, number>();
  private readonly answeredDepth = new Map<number, number>();
  private readonly deepest = new Map<number, number>();

  constructor(private readonly only: (request: RequestRecord) => boolean) {}

  get total(): number {
    return [...this.deepest.values()].reduce((sum, depth) => sum + depth, 0);
  }

  requested(record: RequestRecord): void {
    if (!this.only(record)) return;
    const depth = (this.answeredDepth.get(record.connection) ?? 0) + 1;
    this.depths.set(record, depth);
    this.deepest.set(record.connection, Math.max(depth, this.deepest.get(record.connection) ?? 0));
  }

  answered(record: RequestRecord): void {
    const depth = this.depths.get(record);
    if (depth === undefined) return;
    this.answeredDepth.set(
      record.connection,
      Math.max(depth, this.answeredDepth.get(record.connection) ?? 0),
    );
  }
}
