import { encode } from '../../lib/testing/wire/codec.js';
import { JuteReader } from '../../lib/testing/wire/jute-reader.js';
import { OpCode, Xid } from '../../lib/testing/wire/op-codes.js';
import {
  connectResponseCodec,
  replyHeaderCodec,
  requestHeaderCodec,
  type ConnectRequest,
} from '../../lib/testing/wire/records.js';
import { badFrame, connectRequest, greeting, longestRequest, TIMEOUT_MS } from './frames.js';
import { encodeRequest } from './encoding.js';
import { Rendering } from './rendering.js';
import { Renaming } from './renaming.js';
import type { Request, SeenZxid } from './requests.js';
import { openRun, type RunStart } from './run-start.js';
import { CLIENTS, type Greeting, type Return, type Step } from './steps.js';
import { WireClient } from './wire-client.js';

const FAR_AHEAD = 1_000_000n;
interface Actor {
  connection: WireClient | undefined;
  session: bigint;
  password: Buffer;
  /** How many sessions it has had. */
  sessions: number;
  lastXid: number;
  /** Newest zxid that it was told, and what that was when its last connection ended. */
  seen: bigint;
  seenBefore: bigint;
}

/** What each client got from a server because of one step, in the order of arrival; one list for each client. */
export type Observation = string[][];

/** One server, with the clients of one run connected to it. */
export class Stage {
  private readonly actors: Actor[] = [];
  private readonly renaming: Renaming;
  private readonly rendering: Rendering;
  private readonly sessions = new Map<bigint, Buffer>();
  private newest: bigint;

  private constructor(
    private readonly port: number,
    private readonly start: RunStart,
  ) {
    this.renaming = new Renaming(start.zxid, start.baseline);
    this.rendering = new Rendering(this.renaming, start.root);
    this.newest = start.zxid;
  }

  /** Makes the root of the run and connects all clients. */
  static async open(port: number, run: number): Promise<Stage> {
    const stage = new Stage(port, await openRun(port, run));
    for (let client = 0; client < CLIENTS; client++) {
      const nobody = {
        session: 0n,
        password: Buffer.alloc(16),
        sessions: 0,
        lastXid: 0,
        seen: 0n,
        seenBefore: 0n,
      };
      stage.actors.push({ ...nobody, connection: undefined });
      await stage.do({ client, act: 'connect', timeoutMs: TIMEOUT_MS, old: false });
    }
    return stage;
  }

  /** Does the step, waits until nothing more comes of it, and tells what every client was sent. */
  async do(step: Step): Promise<Observation> {
    const observation: Observation = this.actors.map(() => []);
    const actor = this.actors[step.client]!;
    const requests = new Map<number, Request>();
    const log = observation[step.client]!;
    if (step.act === 'connect') {
      actor.connection?.cut();
      await this.connect(
        step.client,
        log,
        step.old ? { timeOut: step.timeoutMs, readOnly: undefined } : { timeOut: step.timeoutMs },
      );
    } else if (step.act === 'return') {
      await this.return(step.client, step.as, log);
    } else if (step.act === 'greet') {
      await this.greet(step.greeting, log);
    } else {
      await this.reconnect(step.client, log);
      await this.act(actor, step, requests, log);
    }
    await Promise.all(
      this.actors.map(async ({ connection }, client) => {
        if (connection && !(await connection.settled())) observation[client]!.push('no answer to a read');
      }),
    );
    this.actors.forEach((_, client) => this.collect(client, requests, observation[client]!));
    return observation;
  }

  /** Ends every session of the run, or what they leave would end in a later one. */
  async close(): Promise<void> {
    for (const { connection } of this.actors) connection?.cut();
    for (const [sessionId, passwd] of this.sessions) {
      const connection = await WireClient.open(this.port);
      connection.sendFrame(connectRequest({ sessionId, passwd }));
      await connection.received(1);
      connection.sendFrame(encode(requestHeaderCodec, { xid: 1, type: OpCode.closeSession }));
      await connection.ends();
    }
  }

  private async act(
    actor: Actor,
    step: Exclude<Step, { act: 'connect' | 'return' | 'greet' }>,
    requests: Map<number, Request>,
    log: string[],
  ): Promise<void> {
    const connection = actor.connection!;
    switch (step.act) {
      case 'request':
      case 'close session': {
        const sent: Request[] = step.act === 'request' ? step.requests : [{ op: 'closeSession' }];
        this.send(actor, sent, requests);
        if (!(await connection.settled())) log.push('no answer to a read');
        return;
      }
      case 'cut':
        connection.cut();
        return;
      case 'bad frame':
        connection.sendRaw(badFrame(step.frame));
        if (!(await connection.ends())) log.push('the connection stays open');
        return;
      case 'longest frame':
        connection.sendFrame(longestRequest(++actor.lastXid, this.start.root));
        requests.set(actor.lastXid, { op: 'getData', path: '~', watch: false });
        if (!(await connection.settled())) log.push('no answer to a read');
    }
  }

  /** A connection that belongs to none of the clients. */
  private async greet(kind: Greeting, log: string[]): Promise<void> {
    const connection = await WireClient.open(this.port);
    connection.sendRaw(greeting(kind));
    if (!(await connection.received(1))) log.push('the connection stays open, without an answer');
    const answer = connection.takeFirst();
    if (answer === undefined) {
      log.push('the connection was closed');
      return;
    }
    const { sessionId, passwd } = connectResponseCodec.read(new JuteReader(answer));
    if (sessionId !== 0n && passwd !== null) {
      this.sessions.set(sessionId, passwd);
      this.renaming.nameSession(sessionId, `session of stranger ${this.sessions.size}`);
    }
    log.push(this.rendering.connectResponse(answer));
    connection.cut();
  }

  /** A client that has lost its connection comes back with its session, or with a new one when that has ended. */
  private async reconnect(client: number, log: string[]): Promise<void> {
    const actor = this.actors[client]!;
    if (actor.connection?.closed === false) return;
    await this.return(client, 'with its session', log);
    if (!(await actor.connection?.settled())) log.push('no answer to a read');
    if (actor.connection?.closed) await this.connect(client, log, {});
  }

  private send(actor: Actor, sent: readonly Request[], requests: Map<number, Request>): void {
    const zxid = (seen: SeenZxid) => this.zxid(seen, actor);
    const frames = sent.map((request) => {
      const { type, body } = encodeRequest(request, { root: this.start.root, zxid });
      const xid = xidOf(type) ?? ++actor.lastXid;
      requests.set(xid, request);
      return Buffer.concat([encode(requestHeaderCodec, { xid, type }), body]);
    });
    for (const bytes of frames) actor.connection!.sendFrame(bytes);
  }

  private async connect(client: number, log: string[], as: Partial<ConnectRequest>): Promise<void> {
    const actor = this.actors[client]!;
    actor.seenBefore = actor.seen;
    const connection = await WireClient.open(this.port);
    connection.sendFrame(connectRequest(as));
    if (!(await connection.received(1))) log.push('no answer to the connect request');
    // what the server still had to say on the connection before
    if (actor.connection && !(await actor.connection.settled())) log.push('no answer on the old connection');
    this.collect(client, new Map(), log);
    actor.connection = connection;
    const answer = connection.takeFirst();
    if (answer === undefined) return;
    this.takeSession(actor, `session ${actor.sessions + 1} of client ${client}`, answer);
    log.push(this.rendering.connectResponse(answer));
  }

  private takeSession(actor: Actor, name: string, answer: Buffer): void {
    const { sessionId, passwd } = connectResponseCodec.read(new JuteReader(answer));
    if (sessionId === 0n || sessionId === actor.session || passwd === null) return;
    actor.session = sessionId;
    actor.password = passwd;
    actor.sessions++;
    this.renaming.nameSession(sessionId, name);
    this.sessions.set(sessionId, passwd);
  }

  private return(client: number, as: Return, log: string[]): Promise<void> {
    const { session: sessionId, password: passwd, seen: lastZxidSeen } = this.actors[client]!;
    const own = { sessionId, passwd, lastZxidSeen };
    switch (as) {
      case 'with its session':
        return this.connect(client, log, own);
      case 'with its session, as an old client':
        return this.connect(client, log, { ...own, readOnly: undefined });
      case 'with its session, having seen the future':
        return this.connect(client, log, { ...own, lastZxidSeen: this.newest + FAR_AHEAD });
      case 'with a wrong password':
        return this.connect(client, log, { ...own, passwd: Buffer.alloc(16, 1) });
      case 'with an empty password':
        return this.connect(client, log, { ...own, passwd: Buffer.alloc(0) });
      case 'with an unknown session':
        return this.connect(client, log, { ...own, sessionId: 0x1234n });
    }
  }

  private collect(client: number, requests: ReadonlyMap<number, Request>, log: string[]): void {
    const actor = this.actors[client]!;
    const { frames, closed } = actor.connection?.take() ?? { frames: [], closed: false };
    for (const arrived of frames) {
      log.push(this.rendering.reply(arrived, requests));
      this.notice(actor, arrived);
    }
    if (closed) log.push('the connection was closed');
  }

  private notice(actor: Actor, arrived: Buffer): void {
    if (arrived.length < 16) return;
    const { zxid } = replyHeaderCodec.read(new JuteReader(arrived));
    if (zxid > actor.seen) actor.seen = zxid;
    if (zxid > this.newest) this.newest = zxid;
  }

  private zxid(seen: SeenZxid, actor: Actor): bigint {
    switch (seen) {
      case 'zero':
        return 0n;
      case 'start of the run':
        return this.start.zxid;
      case 'end of the last connection':
        return actor.seenBefore;
      case 'now':
        return this.newest;
      case 'ahead':
        return this.newest + FAR_AHEAD;
    }
  }
}

/** The transaction ids that clients give to requests which are not counted. */
function xidOf(type: number): number | undefined {
  if (type === OpCode.ping) return Xid.ping;
  if (type === OpCode.auth) return Xid.auth;
  return type === OpCode.setWatches || type === OpCode.setWatches2 ? Xid.setWatches : undefined;
}
