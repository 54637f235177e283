import type { Database } from '../data/database.js';
import { decode, encode } from '../wire/codec.js';
import { frame } from '../wire/frame-splitter.js';
import { connectRequestCodec, connectResponseCodec, type ConnectRequest } from '../wire/records.js';
import type { Connection } from './connection.js';
import { hex } from './hex.js';
import type { Rules } from './rules.js';
import { NO_PASSWORD, type SessionPasswords } from './session-password.js';
import type { Sessions } from './sessions.js';

export interface HandshakeParts {
  readonly database: Database;
  readonly sessions: Sessions;
  readonly passwords: SessionPasswords;
  readonly rules: Rules;
  /** Range of session timeouts in ms. */
  readonly minSessionTimeout: number;
  readonly maxSessionTimeout: number;
}

/** The first frame of a connection: opens a session, or takes one over from an earlier connection. */
export class Handshake {
  constructor(private readonly parts: HandshakeParts) {}

  /** @throws {MalformedRecordError} */
  connect(connection: Connection, bytes: Buffer): void {
    const { database, rules } = this.parts;
    const request = decode(connectRequestCodec, bytes);
    // The client has seen more than this server knows: it has to find another one.
    if (request.lastZxidSeen > database.lastZxid) {
      connection.end();
      return;
    }
    const ruling = rules.judge({
      op: 'connect',
      session: hex(request.sessionId),
      zxid: hex(database.lastZxid),
      xid: 0,
    });
    if (ruling?.kind === 'cut') connection.end();
    if (!connection.isOpen) return;
    const accepted =
      (ruling?.kind !== 'answer' || ruling.error === undefined) && this.admit(connection, request);
    if (ruling?.kind === 'drop-answer') {
      connection.end();
      return;
    }
    const readyAt = ruling?.kind === 'answer' ? connection.receivedAt + ruling.delayMs : 0;
    connection.send(this.answer(connection, request, accepted), readyAt);
    if (!accepted) connection.end(readyAt);
  }

  private admit(connection: Connection, { sessionId, passwd, timeOut }: ConnectRequest): boolean {
    const { sessions, minSessionTimeout, maxSessionTimeout } = this.parts;
    connection.timeoutMs = Math.min(Math.max(timeOut, minSessionTimeout), maxSessionTimeout);
    if (sessionId !== 0n) return sessions.reopen(connection, sessionId, passwd);
    sessions.open(connection);
    return true;
  }

  private answer(connection: Connection, { readOnly }: ConnectRequest, accepted: boolean): Buffer {
    const { passwords } = this.parts;
    return frame(
      encode(connectResponseCodec, {
        protocolVersion: 0,
        timeOut: accepted ? connection.timeoutMs : 0,
        sessionId: accepted ? connection.sessionId : 0n,
        passwd: accepted ? passwords.of(connection.sessionId) : NO_PASSWORD,
        readOnly: readOnly === undefined ? undefined : false,
      }),
    );
  }
}
