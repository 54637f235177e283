import {
  buffer,
  int,
  long,
  nullableString,
  nullableVector,
  record,
  string,
  trailingBool,
  type Decoded,
} from './codec.js';

// The records of zookeeper.jute that more than one request uses, field by field in its order.

/** Who somebody is: `world:anyone`, `ip:127.0.0.1`, `digest:user:hash`. */
export interface Id {
  scheme: string;
  id: string;
}

/** One entry of an access control list: what (see Perms) is allowed to whom. */
export interface Acl {
  perms: number;
  id: Id;
}

/** An entry as a request carries it, before anybody has looked at it. */
export interface UncheckedAcl {
  perms: number;
  id: { scheme: string | null; id: string | null };
}
export const aclListCodec = nullableVector(
  record<UncheckedAcl>({
    perms: int,
    id: record<UncheckedAcl['id']>({ scheme: nullableString, id: nullableString }),
  }),
);

/** What ZooKeeper tells of a node beside its data. Times are wall-clock milliseconds. */
export interface Stat {
  /** zxid of the create. */
  czxid: bigint;
  /** zxid of the last change of the data. */
  mzxid: bigint;
  ctime: bigint;
  mtime: bigint;
  /** Changes of the data. */
  version: number;
  /** Changes of the list of children. */
  cversion: number;
  /** Changes of the access control list. */
  aversion: number;
  /** Session id of an ephemeral node, else 0 (for containers and TTL nodes too). */
  ephemeralOwner: bigint;
  dataLength: number;
  numChildren: number;
  /** zxid of the last create or delete of a child. */
  pzxid: bigint;
}
export const statCodec = record<Stat>({
  czxid: long,
  mzxid: long,
  ctime: long,
  mtime: long,
  version: int,
  cversion: int,
  aversion: int,
  ephemeralOwner: long,
  dataLength: int,
  numChildren: int,
  pzxid: long,
});

export const connectRequestCodec = record({
  protocolVersion: int,
  lastZxidSeen: long,
  /** Session timeout in milliseconds that the client wishes. */
  timeOut: int,
  /** 0 for a new session. */
  sessionId: long,
  passwd: buffer,
  /** Undefined from clients older than 3.4, which want an answer without it. */
  readOnly: trailingBool,
});
export type ConnectRequest = Decoded<typeof connectRequestCodec>;

export const connectResponseCodec = record({
  protocolVersion: int,
  /** Negotiated session timeout in milliseconds; 0 when the session is expired or unknown. */
  timeOut: int,
  sessionId: long,
  passwd: buffer,
  readOnly: trailingBool,
});
export type ConnectResponse = Decoded<typeof connectResponseCodec>;

export const requestHeaderCodec = record({ xid: int, type: int });
export type RequestHeader = Decoded<typeof requestHeaderCodec>;

export const replyHeaderCodec = record({ xid: int, zxid: long, err: int });
export type ReplyHeader = Decoded<typeof replyHeaderCodec>;

/** A watch event, behind a reply header with the xid -1. */
export interface WatchEvent {
  /** See EventType. */
  type: number;
  /** See SYNC_CONNECTED. */
  state: number;
  path: string;
}
export const watchEventCodec = record<WatchEvent>({ type: int, state: int, path: string });

/** Somebody that a connection is authenticated as: the answer of whoAmI. */
export const clientInfoCodec = record({ authScheme: string, user: nullableString });
export type ClientInfo = Decoded<typeof clientInfoCodec>;
