import { expireSession } from './expire-session.js';
import { matches, type FaultAction, type RequestMatch, type RequestRecord } from './proxy/fault-rules.js';
import type { Direction } from './proxy/proxy-connection.js';
import { ProxyThread } from './proxy/proxy-thread.js';
import type { SessionCredentials, ZkOp } from './proxy/zk-wire.js';

export type { FaultAction, RequestMatch, RequestRecord } from './proxy/fault-rules.js';

/** How long answers are held back while round trips are counted, so that all requests that wait for no answer come first. */
const ANSWER_HOLD_MS = 25;
const thread = ProxyThread.shared();

/** A TCP proxy before one ZooKeeper server that understands frames: it logs requests and makes faults on demand. */
export class ZkProxy implements AsyncDisposable {
  /** Starts a proxy on a free port of 127.0.0.1 before the server on `port`. */
  static async start(server: { port: number }): Promise<ZkProxy> {
    return new ZkProxy(await thread.start(server.port), server.port);
  }

  readonly port: number;

  private constructor(
    private readonly engine: number,
    private readonly serverPort: number,
  ) {
    this.port = thread.call(engine, 'port');
  }

  get connectString(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** Every request since the start or the last `reset()`, pings left out, as of now. */
  get requests(): RequestRecord[] {
    return thread.call(this.engine, 'requests');
  }

  /** How many connections clients have made so far, refused ones left out. */
  get connectionCount(): number {
    return thread.call(this.engine, 'connectionCount');
  }

  /** The sessions whose connections are open now. */
  get sessions(): SessionCredentials[] {
    return thread.call(this.engine, 'sessions');
  }

  /** How many requests were seen, by operation and path. */
  count(op: ZkOp, path?: string | RegExp): number {
    return this.requests.filter((request) => matches(request, { op, path })).length;
  }

  /** Forgets the requests seen so far; rules and faults stay. */
  reset(): void {
    thread.call(this.engine, 'reset');
  }

  /**
   * Runs `action` and counts the round trips that it took: the longest chain of requests of which each was sent after
   * an answer to the one before. `only` leaves other requests out, such as those of a background task.
   */
  async roundTrips(
    action: () => Promise<unknown>,
    only: (request: RequestRecord) => boolean = () => true,
  ): Promise<number> {
    const start = thread.call(this.engine, 'order');
    thread.call(this.engine, 'holdAnswers', ANSWER_HOLD_MS);
    try {
      await action();
      return longestChain(this.requests.filter((request) => request.order > start && only(request)));
    } finally {
      thread.call(this.engine, 'holdAnswers', 0);
    }
  }

  /** Adds a fault for the next `times` (default 1) requests that match. The oldest rule that matches takes the request. */
  on(match: RequestMatch & { times?: number }, action: FaultAction): FaultRule {
    return new FaultRule(this.engine, thread.call(this.engine, 'addRule', match, action));
  }

  /** A network partition: connections stay open, nothing passes. A client that connects meanwhile hears nothing. */
  blackhole(direction: Direction | 'both'): void {
    thread.call(this.engine, 'block', direction === 'both' ? ['to-server', 'to-client'] : [direction]);
  }

  /** Ends the partition: what was sent meanwhile arrives now, as TCP would have it. */
  heal(): void {
    thread.call(this.engine, 'heal');
  }

  /** Cuts every open connection. */
  cutAll(): void {
    thread.call(this.engine, 'cutAll');
  }

  /** Resets every open connection, as the system does when a server dies with something unread: the next write fails. */
  resetAll(): void {
    thread.call(this.engine, 'resetAll');
  }

  /** Resets every new connection, as if no server were there. */
  refuse(): void {
    thread.call(this.engine, 'refuse', true);
  }

  /** Takes new connections again. */
  accept(): void {
    thread.call(this.engine, 'refuse', false);
  }

  /**
   * Ends the sessions of all connected clients on the server, as if they had expired; ends a partition, too. The clients
   * learn of it when they reconnect, which is at once.
   */
  async expireSessions(): Promise<void> {
    const sessions = this.sessions;
    this.blackhole('both'); // or a client could take its session back in time
    this.cutAll();
    for (const session of sessions) await expireSession({ port: this.serverPort }, session);
    this.heal();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await thread.callAsync(this.engine, 'close');
  }
}

/** A fault that the tests can count and wait for. */
export class FaultRule {
  constructor(
    private readonly engine: number,
    private readonly rule: number,
  ) {}

  /** How often the fault has happened. */
  get hits(): number {
    return thread.call(this.engine, 'hits', this.rule);
  }

  /**
   * Waits until the fault has happened `count` times, and hands back the request as it was then. A rule about the request
   * counts when the request arrives, one about the answer (`pass` too) when the answer has come from the server.
   * @throws {Error} after `timeoutMs`, by default 15,000
   */
  hit(count = 1, timeoutMs?: number): Promise<RequestRecord> {
    return thread.callAsync(this.engine, 'hit', this.rule, count, timeoutMs);
  }

  /** Lets go what `hold-request` or `hold-answer` holds, and holds no more. */
  release(): void {
    thread.call(this.engine, 'release', this.rule);
  }
}

/** Per connection the depth of the chain of requests and answers; the sum for all. */
function longestChain(requests: readonly RequestRecord[]): number {
  const depths = new Map<RequestRecord, number>();
  const deepest = new Map<number, number>();
  for (const request of requests) {
    const answeredBefore = requests.filter(
      ({ connection, answer }) =>
        connection === request.connection && (answer?.deliveredOrder ?? Infinity) < request.order,
    );
    const depth = 1 + Math.max(0, ...answeredBefore.map((earlier) => depths.get(earlier) ?? 0));
    depths.set(request, depth);
    deepest.set(request.connection, Math.max(depth, deepest.get(request.connection) ?? 0));
  }
  return [...deepest.values()].reduce((sum, depth) => sum + depth, 0);
}
