import type { Database } from '../data/database.js';
import type { Clock } from './clock.js';
import type { Connection } from './connection.js';
import type { SessionPasswords } from './session-password.js';
import { SessionTracker, type Session } from './session-tracker.js';

/** The sessions of one run of the server: each of them in the database, in the tracker, and on a connection or none. */
export class Sessions {
  readonly tracker: SessionTracker;
  private readonly connections = new Map<bigint, Connection>();

  /** @param afterExpiry is called after each session that expired by itself. */
  constructor(
    private readonly database: Database,
    private readonly passwords: SessionPasswords,
    clock: Clock,
    tickTime: number,
    afterExpiry: () => void,
  ) {
    this.tracker = new SessionTracker(clock, tickTime, (session) => {
      this.expire(session);
      afterExpiry();
    });
    for (const [id, timeoutMs] of database.sessions) this.tracker.track(id, timeoutMs);
  }

  /** A new session for this connection, with the timeout that was negotiated on it. */
  open(connection: Connection): void {
    const session = this.tracker.open(connection.timeoutMs);
    this.database.openSession(session.id, session.timeoutMs);
    this.attach(session, connection);
  }

  /** False when there is no such session, or the password is not its own. Its former connection is closed even then. */
  reopen(connection: Connection, id: bigint, password: Uint8Array | null): boolean {
    this.connections.get(id)?.destroy();
    const session = this.tracker.find(id);
    if (session === undefined || !this.passwords.accepts(id, password)) return false;
    this.tracker.touch(session, connection.timeoutMs);
    this.attach(session, connection);
    return true;
  }

  /** Ends the session and deletes what it owned. Its connection stays for the answer. */
  close(session: Session): void {
    this.tracker.forget(session);
    this.database.closeSession(session.id);
  }

  /** As `close`, but the connection is closed at once: nobody asked for an answer. */
  expire(session: Session): void {
    this.close(session);
    this.connections.get(session.id)?.destroy();
  }

  touch(session: Session, connection: Connection): void {
    this.tracker.touch(session, connection.timeoutMs);
  }

  /** The connection that carries the session right now. */
  connectionOf(id: bigint): Connection | undefined {
    return this.connections.get(id);
  }

  detach(connection: Connection): void {
    const id = connection.sessionId;
    if (this.connections.get(id) === connection) this.connections.delete(id);
  }

  private attach(session: Session, connection: Connection): void {
    connection.session = session;
    connection.sessionId = session.id;
    this.connections.set(session.id, connection);
  }
}
