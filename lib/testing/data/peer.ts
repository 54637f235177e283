import type { Id, WatchEvent } from '../wire/records.js';

/** What the database knows of a connection. */
export interface Peer {
  readonly sessionId: bigint;
  /**
   * Who the connection is, for access checks: begins with its address, `{ scheme: 'ip', id: '127.0.0.1' }`; `auth`
   * requests add to it.
   */
  readonly ids: Id[];
  /** Queues an event on the connection. Called before the answer of the request that caused it, as ZooKeeper does. */
  notify(event: WatchEvent): void;
}
