import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultRule, RequestRecord } from './fault-rules.js';
import { FrameLane } from './frame-lane.js';
import {
  EVENT_XID,
  FrameSplitter,
  PING_XID,
  readReply,
  readRequest,
  readSession,
  type RequestHead,
  type SessionCredentials,
} from './zk-wire.js';

export type Direction = 'to-server' | 'to-client';

/** What a connection asks of the proxy that it belongs to. */
export interface ProxyHub {
  readonly serverPort: number;
  isOpen(direction: Direction): boolean;
  /** Logs a request and says which rule takes it, if any. */
  requested(record: RequestRecord): FaultRule | undefined;
  /** The log's own time, one further at each call. */
  tick(): number;
  /** In ms. */
  now(): number;
  /** What every answer has to wait for, if anything. */
  answerDelay(): Promise<unknown> | undefined;
}

const CONNECT: RequestHead = { xid: 0, op: 'connect', path: undefined, watch: false };

/** One client's connection through the proxy. */
export class ProxyConnection {
  /** Undefined until the server has answered the connect. */
  session: SessionCredentials | undefined;
  private server: Socket | undefined;
  private readonly toServer: FrameLane;
  private readonly toClient: FrameLane;
  private readonly pending: { record: RequestRecord; rule: FaultRule | undefined }[] = [];
  private greeted = false;
  private over = false;

  constructor(
    readonly id: number,
    private readonly client: Socket,
    private readonly hub: ProxyHub,
  ) {
    this.toServer = new FrameLane({
      source: () => client,
      target: () => this.openServer(),
      isOpen: () => hub.isOpen('to-server'),
    });
    this.toClient = new FrameLane({
      source: () => this.server,
      target: () => client,
      isOpen: () => hub.isOpen('to-client'),
    });
    this.listen(client, (frame) => this.fromClient(frame));
    client.on('end', () => this.clientGone());
    client.on('close', () => this.clientGone());
  }

  get isOpen(): boolean {
    return !this.client.destroyed || this.server?.destroyed === false;
  }

  /** Sends what waited while the proxy let nothing pass. */
  flush(): void {
    this.toServer.flush();
    this.toClient.flush();
  }

  /** Ends both sides; what has been sent before still arrives. */
  cut(): void {
    this.over = true;
    this.toServer.clear();
    this.toClient.clear();
    this.client.end();
    this.server?.end();
  }

  reset(): void {
    this.client.resetAndDestroy();
    this.destroy();
  }

  destroy(): void {
    this.cut();
    this.client.destroy();
    this.server?.destroy();
  }

  private fromClient(frame: Buffer): void {
    const head = this.greeted ? readRequest(frame) : CONNECT;
    this.greeted = true;
    if (head.xid === PING_XID) {
      this.toServer.overtake(frame);
      return;
    }
    const record = { ...head, connection: this.id, at: this.hub.now(), order: this.hub.tick() };
    const rule = this.hub.requested(record);
    this.pending.push({ record, rule });
    if (rule?.action === 'cut-before') this.cut();
    else this.toServer.push(frame, { until: requestHold(rule) });
    if (rule && concernsRequest(rule)) rule.happened(record);
  }

  private fromServer(frame: Buffer): void {
    const first = this.session === undefined;
    if (first) this.session = readSession(frame);
    const { xid, zxid, err } = first ? { xid: CONNECT.xid, zxid: 0n, err: 0 } : readReply(frame);
    if (xid === PING_XID) {
      this.toClient.overtake(frame);
      return;
    }
    const answered = xid === EVENT_XID ? -1 : this.pending.findIndex(({ record }) => record.xid === xid);
    const [request] = answered < 0 ? [] : this.pending.splice(answered, 1);
    if (!request) {
      this.toClient.push(frame);
      return;
    }
    const { record, rule } = request;
    record.answer = { err, zxid, at: this.hub.now() };
    this.answer(frame, record, rule);
    if (rule && !concernsRequest(rule)) rule.happened(record);
  }

  private answer(frame: Buffer, record: RequestRecord, rule: FaultRule | undefined): void {
    if (rule?.action === 'drop-answer') return;
    if (rule?.action === 'drop-answer-and-cut') {
      this.cut();
      return;
    }
    const sent = () => {
      if (record.answer) record.answer.deliveredOrder = this.hub.tick();
      if (rule?.action === 'cut-after-answer') this.cut();
    };
    this.toClient.push(frame, { until: answerHold(rule) ?? this.hub.answerDelay(), sent });
  }

  /** The connection to the server is made when the first frame may pass, so that a partition can keep a client out. */
  private openServer(): Socket | undefined {
    if (this.server || this.over) return this.server;
    this.server = connect({
      port: this.hub.serverPort,
      host: '127.0.0.1',
      noDelay: true,
      allowHalfOpen: true,
    });
    this.listen(this.server, (frame) => this.fromServer(frame));
    this.server.on('end', () => this.toClient.end());
    this.server.on('close', () => this.toClient.end());
    return this.server;
  }

  private clientGone(): void {
    if (this.server) this.toServer.end();
    else this.cut();
  }

  private listen(socket: Socket, handle: (frame: Buffer) => void): void {
    const splitter = new FrameSplitter();
    socket.on('error', () => undefined); // a 'close' follows
    socket.on('data', (chunk) => {
      try {
        for (const frame of splitter.push(chunk)) if (!this.over) handle(frame);
      } catch {
        this.destroy(); // not ZooKeeper's protocol
      }
    });
  }
}

function concernsRequest({ action }: FaultRule): boolean {
  return (
    action === 'cut-before' ||
    action === 'hold-request' ||
    (typeof action === 'object' && 'delayRequestMs' in action)
  );
}

function requestHold(rule: FaultRule | undefined): Promise<unknown> | undefined {
  if (rule?.action === 'hold-request') return rule.released;
  const action = rule?.action;
  return typeof action === 'object' && 'delayRequestMs' in action ? sleep(action.delayRequestMs) : undefined;
}

function answerHold(rule: FaultRule | undefined): Promise<unknown> | undefined {
  if (rule?.action === 'hold-answer') return rule.released;
  const action = rule?.action;
  return typeof action === 'object' && 'delayMs' in action ? sleep(action.delayMs) : undefined;
}
