import type { Database } from '../data/database.js';
import type { Answer } from '../data/request-context.js';
import { ErrorCode } from '../wire/error-codes.js';
import { JuteReader } from '../wire/jute-reader.js';
import { OpCode, Xid } from '../wire/op-codes.js';
import type { Clock } from './clock.js';
import type { Connection } from './connection.js';
import { hex } from './hex.js';
import { opShortName } from './op-short-names.js';
import { replyFrame } from './reply-frame.js';
import { describeRequest, type Rules } from './rules.js';
import type { Session } from './session-tracker.js';
import type { Sessions } from './sessions.js';
import type { Ruling } from './verdict.js';

export interface RequestLoopParts {
  readonly database: Database;
  readonly sessions: Sessions;
  readonly rules: Rules;
  readonly clock: Clock;
}

type Reply = Answer & { xid: number };

/** The requests of connections that have a session, one after the other, each done whole before the next. */
export class RequestLoop {
  constructor(private readonly parts: RequestLoopParts) {}

  /** @throws {MalformedRecordError} when there is not even a header, or authentication is garbled. */
  serve(connection: Connection, session: Session, bytes: Buffer): void {
    const { rules, sessions, clock } = this.parts;
    const reader = new JuteReader(bytes);
    const xid = reader.int();
    const op = reader.int();
    const body = reader.rest;
    const ruling = rules.isEmpty ? undefined : this.judge(session, xid, op, body);
    if (ruling?.kind === 'cut') connection.end();
    // A rule may also have ended the session, and with it the connection.
    if (!connection.isOpen) return;
    if (op !== OpCode.auth) sessions.touch(session, connection);
    const reply: Reply =
      ruling?.kind === 'answer' && ruling.error !== undefined
        ? { xid, zxid: this.parts.database.lastZxid, err: ruling.error }
        : this.answer(connection, session, xid, op, body);
    if (ruling?.kind === 'drop-answer') {
      connection.end();
      return;
    }
    const readyAt = ruling?.kind === 'answer' ? clock.elapsed() + ruling.delayMs : 0;
    connection.send(replyFrame(reply, reply.body), readyAt);
    this.count(connection, op, reply);
    if (reply.close === true) connection.end(readyAt);
  }

  private judge(session: Session, xid: number, op: number, body: Buffer): Ruling | undefined {
    return this.parts.rules.judge({
      ...describeRequest(op, new JuteReader(body)),
      session: hex(session.id),
      zxid: hex(this.parts.database.lastZxid),
      xid,
    });
  }

  private answer(connection: Connection, session: Session, xid: number, op: number, body: Buffer): Reply {
    const { database, sessions } = this.parts;
    switch (op) {
      case OpCode.ping:
        return { xid: Xid.ping, zxid: database.lastZxid, err: 0 };
      case OpCode.closeSession:
        sessions.close(session);
        return { xid, zxid: database.lastZxid, err: 0, close: true };
      default:
        if (op !== OpCode.auth && opShortName(op) === undefined) {
          return { xid, zxid: -1n, err: ErrorCode.Unimplemented, close: true };
        }
        return { xid, ...database.process(connection, op, new JuteReader(body)) };
    }
  }

  private count(connection: Connection, op: number, { xid, zxid }: Reply): void {
    const name = opShortName(op);
    if (name === undefined) return;
    const now = this.parts.clock.elapsed();
    connection.stats.answered(name, xid, zxid, now, now - connection.receivedAt);
  }
}
