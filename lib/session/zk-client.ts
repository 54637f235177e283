import type { ServerAddresses } from './server-addresses.js';

/** The part of a node's stat that locks need. zxids are exact: they stay below 2^53 up to epoch 2^21. */
export interface ZkStat {
  readonly czxid: number;
  readonly pzxid: number;
  readonly ctime: Date;
  readonly version: number;
  /** Session that owns the node, in hex without `0x`; `'0'` when the node is not ephemeral. */
  readonly ephemeralOwner: string;
}

/** The kinds of node that locks make. */
export type ZkNodeKind = 'persistent' | 'ephemeral' | 'ephemeral-sequential' | 'container';

export type ZkPermission = 'read' | 'write' | 'create' | 'delete' | 'admin';

export interface ZkAcl {
  readonly scheme: string;
  readonly id: string;
  readonly permissions: readonly ZkPermission[];
}

export type ZkWatchEvent = 'created' | 'deleted' | 'changed' | 'child';

/** What a client reports by itself. All calls come on the event loop, never from inside a request method. */
export interface ZkClientListener {
  /** Connected to a server, for the first time or again, in the same session. */
  connected(): void;
  /** The connection broke; the client looks for another server by itself. */
  disconnected(): void;
  /** The session is over (expired, refused credentials, or closed by us). Nothing is called after this. */
  closed(reason: 'expired' | 'auth-failed' | 'closed'): void;
  /** A watch fired; it is used up. */
  watch(event: ZkWatchEvent, path: string): void;
}

export interface ZkClientOptions {
  /** Looked up, with at least one address. */
  readonly servers: ServerAddresses;
  readonly sessionTimeoutMs: number;
  readonly auth?: { readonly scheme: string; readonly credentials: string };
}

/**
 * What we need of any ZooKeeper client: one session, its requests and its events. Every request settles: with the
 * server's answer, or with a `ZkOperationError` when it could not be sent, the connection broke, or on `close()`.
 * Requests are answered in the order they were made.
 */
export interface ZkClient {
  /** Hex without `0x`; `'0'` before the first connect. */
  readonly sessionId: string;
  /** What client and server agreed on, in ms; read it again after every connect. */
  readonly negotiatedTimeoutMs: number;
  readonly connected: boolean;
  /** When the oldest request that is still unanswered was made (`performance.now()`), if there is one. */
  readonly oldestRequestAt: number | undefined;
  /** Resolves to the path of the node made (sequential nodes get their number from the server). */
  create(path: string, data: Buffer, kind: ZkNodeKind): Promise<string>;
  delete(path: string): Promise<void>;
  get(path: string, watch: boolean): Promise<{ data: Buffer; stat: ZkStat }>;
  /** The watch of a missing node fires when it is made. */
  exists(path: string, watch: boolean): Promise<boolean>;
  /** Overwrites the data if the node has this version; -1 overwrites any. */
  set(path: string, data: Buffer, version: number): Promise<void>;
  getChildren(path: string, watch: boolean): Promise<{ children: string[]; stat: ZkStat }>;
  setAcl(path: string, acl: readonly ZkAcl[]): Promise<void>;
  /** Answered once the server has caught up with the leader. */
  sync(path: string): Promise<void>;
  close(): void;
}

/** Opens a session. Throws when the client cannot even start, for example on an unknown host. */
export type ZkClientFactory = (options: ZkClientOptions, listener: ZkClientListener) => ZkClient;
