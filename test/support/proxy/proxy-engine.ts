import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { FaultRule, type FaultAction, type RequestMatch, type RequestRecord } from './fault-rules.js';
import { ProxyConnection, type Direction, type ProxyHub } from './proxy-connection.js';
import type { SessionCredentials } from './zk-wire.js';

/** The proxy itself: a listener, its connections, the rules and the log. It runs in a thread of its own, see `zk-proxy.ts`. */
export class ProxyEngine {
  private log: RequestRecord[] = [];
  private readonly connections = new Set<ProxyConnection>();
  private readonly rules: FaultRule[] = [];
  private readonly closed = new Set<Direction>();
  private accepted = 0;
  private refusing = false;
  private answerHoldMs = 0;
  private clock = 0;

  private constructor(
    private readonly listener: Server,
    private readonly serverPort: number,
    private readonly now: () => number,
  ) {
    listener.on('connection', (socket) => this.accepts(socket));
  }

  /** @param now the clock of the times in the log */
  static async start(serverPort: number, now: () => number): Promise<ProxyEngine> {
    const listener = createServer({ noDelay: true, allowHalfOpen: true });
    const engine = new ProxyEngine(listener, serverPort, now);
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    return engine;
  }

  port(): number {
    return (this.listener.address() as AddressInfo).port;
  }

  requests(): RequestRecord[] {
    return this.log;
  }

  /** The log's own time: grows with every request and every answer. */
  order(): number {
    return this.clock;
  }

  reset(): void {
    this.log = [];
  }

  connectionCount(): number {
    return this.accepted;
  }

  sessions(): SessionCredentials[] {
    const open = [...this.connections].filter(({ isOpen }) => isOpen);
    return open.map(({ session }) => session).filter((session) => session !== undefined);
  }

  /** Hands back the rule's number. */
  addRule(match: RequestMatch & { times?: number }, action: FaultAction): number {
    return this.rules.push(new FaultRule(match, action)) - 1;
  }

  hits(rule: number): number {
    return this.rule(rule).hits;
  }

  hit(rule: number, count: number, timeoutMs?: number): Promise<RequestRecord> {
    return this.rule(rule).hit(count, timeoutMs);
  }

  release(rule: number): void {
    this.rule(rule).release();
  }

  /** From now on every answer waits so long before it goes on to the client. */
  holdAnswers(ms: number): void {
    this.answerHoldMs = ms;
  }

  block(directions: readonly Direction[]): void {
    for (const direction of directions) this.closed.add(direction);
  }

  heal(): void {
    this.closed.clear();
    for (const connection of this.connections) connection.flush();
  }

  cutAll(): void {
    for (const connection of this.connections) connection.cut();
  }

  resetAll(): void {
    for (const connection of this.connections) connection.reset();
  }

  refuse(refusing: boolean): void {
    this.refusing = refusing;
  }

  async close(): Promise<void> {
    for (const rule of this.rules) rule.release();
    for (const connection of this.connections) connection.destroy();
    this.listener.close();
    await once(this.listener, 'close');
  }

  private rule(index: number): FaultRule {
    const rule = this.rules[index];
    if (!rule) throw new Error(`There is no rule ${index}.`);
    return rule;
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
      now: this.now,
      tick: () => ++this.clock,
      isOpen: (direction) => !this.closed.has(direction),
      requested: (record) => {
        this.log.push(record);
        return this.rules.find((rule) => rule.take(record));
      },
      answerDelay: () => (this.answerHoldMs > 0 ? sleep(this.answerHoldMs) : undefined),
    };
  }
}
