// ZooKeeper's wire protocol, as far as a proxy has to understand it: frames, heads of requests and of replies.

import { OpCode, Xid } from '../../../lib/testing/wire/op-codes.js';

const KNOWN = [
  'create',
  'delete',
  'exists',
  'getData',
  'setData',
  'getACL',
  'setACL',
  'getChildren',
  'sync',
  'ping',
  'getChildren2',
  'check',
  'multi',
  'create2',
  'removeWatches',
  'createContainer',
  'createTTL',
  'auth',
  'setWatches',
  'addWatch',
  'closeSession',
] as const;

/** An operation's name; `connect` is the first frame of a connection, `other` one that the tests do not know. */
export type ZkOp = (typeof KNOWN)[number] | 'connect' | 'other';

const OPS = new Map<number, ZkOp>(KNOWN.map((op) => [OpCode[op], op]));
const PATHLESS: ReadonlySet<ZkOp> = new Set([
  'ping',
  'multi',
  'auth',
  'setWatches',
  'closeSession',
  'connect',
  'other',
]);
const READS: ReadonlySet<ZkOp> = new Set(['exists', 'getData', 'getChildren', 'getChildren2']);

const LENGTH_BYTES = 4;
const LONGEST_FRAME = 64 << 20;

/** Cuts a stream of bytes into frames; each frame keeps its four bytes of length. */
export class FrameSplitter {
  private rest: Buffer = Buffer.alloc(0);

  /** @throws {Error} when the bytes cannot be ZooKeeper's protocol */
  push(chunk: Buffer): Buffer[] {
    this.rest = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    const frames: Buffer[] = [];
    for (;;) {
      const length = this.nextLength();
      if (length === undefined || this.rest.length < length) return frames;
      frames.push(this.rest.subarray(0, length));
      this.rest = this.rest.subarray(length);
    }
  }

  private nextLength(): number | undefined {
    if (this.rest.length < LENGTH_BYTES) return undefined;
    const length = this.rest.readInt32BE(0);
    if (length < 0 || length > LONGEST_FRAME)
      throw new Error(`A frame of ${length} bytes is not ZooKeeper's protocol.`);
    return LENGTH_BYTES + length;
  }
}

export interface RequestHead {
  xid: number;
  op: ZkOp;
  /** The node, for operations on one node. */
  path: string | undefined;
  /** True when a read also sets a watch. */
  watch: boolean;
}

export function readRequest(frame: Buffer): RequestHead {
  const op = OPS.get(frame.readInt32BE(8)) ?? 'other';
  const head: RequestHead = { xid: frame.readInt32BE(4), op, path: undefined, watch: false };
  if (PATHLESS.has(op)) return head;
  const end = 16 + frame.readInt32BE(12);
  return { ...head, path: frame.toString('utf8', 16, end), watch: READS.has(op) && frame[end] === 1 };
}

export interface ReplyHead {
  xid: number;
  zxid: bigint;
  /** 0 or ZooKeeper's negative error code. */
  err: number;
}

export const EVENT_XID = Xid.notification;
export const PING_XID = Xid.ping;

export function readReply(frame: Buffer): ReplyHead {
  return { xid: frame.readInt32BE(4), zxid: frame.readBigInt64BE(8), err: frame.readInt32BE(16) };
}

export interface SessionCredentials {
  /** In hex, as the client writes it; `0` means refused. */
  sessionId: string;
  /** In hex. */
  password: string;
}

/** What the server's answer to a connect says of the session. */
export function readSession(connectReply: Buffer): SessionCredentials {
  const passwordEnd = 24 + connectReply.readInt32BE(20);
  return {
    sessionId: connectReply.readBigUInt64BE(12).toString(16),
    password: connectReply.toString('hex', 24, passwordEnd),
  };
}

/** A request to go on with a session on a new connection. */
export function connectFrame({ sessionId, password }: SessionCredentials, timeoutMs: number): Buffer {
  const secret = Buffer.from(password, 'hex');
  const body = Buffer.alloc(28 + secret.length + 1); // version, last zxid, timeout, session, password, read-only
  body.writeInt32BE(timeoutMs, 12);
  body.writeBigUInt64BE(BigInt(`0x${sessionId}`), 16);
  body.writeInt32BE(secret.length, 24);
  secret.copy(body, 28);
  return framed(body);
}

/** A request to end the session of the connection. */
export function closeSessionFrame(xid: number): Buffer {
  const body = Buffer.alloc(8);
  body.writeInt32BE(xid, 0);
  body.writeInt32BE(OpCode.closeSession, 4);
  return framed(body);
}

function framed(body: Buffer): Buffer {
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeInt32BE(body.length, 0);
  return Buffer.concat([length, body]);
}
