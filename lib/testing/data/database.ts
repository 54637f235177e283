import { ErrorCode } from '../wire/error-codes.js';
import type { JuteReader } from '../wire/jute-reader.js';
import { MalformedRecordError } from '../wire/malformed-record-error.js';
import { OpCode } from '../wire/op-codes.js';
import { answerSasl, authenticate } from './authenticate.js';
import type { DataNode } from './data-node.js';
import { DataTree, type Moment } from './data-tree.js';
import { dumpTree } from './dump.js';
import { findReapable } from './reaper.js';
import type { Peer } from './peer.js';
import { PendingChanges } from './pending-changes.js';
import { reads } from './reads.js';
import type { Answer } from './request-context.js';
import { writes } from './writes.js';
import { ZkError } from './zk-error.js';

export interface DatabaseOptions {
  /** Wall clock, ms since 1970. */
  now: () => number;
  /** zxid of the first transaction. */
  firstZxid: bigint;
  /** TTL nodes, as with `extendedTypesEnabled=true` (default false, as there: createTTL answers Unimplemented). */
  ttlNodes?: boolean;
}

/** Figures for the four-letter words, counted as ZooKeeper counts them. */
export interface DatabaseFigures {
  /** The root counts twice. */
  nodes: number;
  ephemerals: number;
  /** Bytes of paths (by characters) and data. */
  approximateDataSize: number;
  /** Watches on data and on children. */
  watches: number;
  /** Connections, paths and watches among the data watches alone: what `wchs` tells. */
  dataWatches: { peers: number; paths: number; watches: number };
}

const MAX_INT32 = 2 ** 31 - 1;

/**
 * What a ZooKeeper server knows: nodes, sessions and watches, and how requests change them. No sockets and no timers:
 * whoever holds it calls it, and everything is done when a call returns.
 */
export class Database {
  private readonly tree = new DataTree();
  private readonly timeouts = new Map<bigint, number>();
  private readonly now: () => number;
  private readonly ttlNodes: boolean;
  private zxid: bigint;

  constructor({ now, firstZxid, ttlNodes = false }: DatabaseOptions) {
    this.now = now;
    this.ttlNodes = ttlNodes;
    this.zxid = firstZxid - 1n;
  }

  /** zxid of the last transaction. */
  get lastZxid(): bigint {
    return this.zxid;
  }

  /** Sessions that are open, with their timeouts in ms. */
  get sessions(): ReadonlyMap<bigint, number> {
    return this.timeouts;
  }

  /** Takes a zxid. */
  openSession(sessionId: bigint, timeoutMs: number): void {
    this.nextMoment();
    this.timeouts.set(sessionId, timeoutMs);
  }

  /** Takes a zxid, with which all the session's ephemeral nodes are deleted; their watches fire. */
  closeSession(sessionId: bigint): void {
    const { zxid } = this.nextMoment();
    this.tree.deleteEphemerals(sessionId, zxid);
    this.timeouts.delete(sessionId);
  }

  /** Paths of a session's ephemeral nodes. */
  ephemeralsOf(sessionId: bigint): readonly string[] {
    return this.tree.ephemeralsOf(sessionId);
  }

  /** Forgets the watches of a connection that is gone. */
  disconnect(peer: Peer): void {
    this.tree.dataWatches.removePeer(peer);
    this.tree.childWatches.removePeer(peer);
  }

  /**
   * One request, done whole; not for connect, ping and closeSession. Errors are answered, also for a body that cannot be
   * read (MarshallingError).
   * @param body what stands behind the request header
   * @throws {MalformedRecordError} for an auth or sasl request that cannot be read: ZooKeeper closes the connection
   */
  process(peer: Peer, op: number, body: JuteReader): Answer {
    if (op === OpCode.auth) return authenticate(peer, body);
    if (op === OpCode.sasl) return answerSasl(body);
    const write = writes.get(op);
    const read = reads.get(op);
    if (!write && !read) return { zxid: -1n, err: ErrorCode.Unimplemented, close: true };
    try {
      if (!this.timeouts.has(peer.sessionId)) throw new ZkError(ErrorCode.SessionExpired);
      const { tree, ttlNodes } = this;
      const context = { tree, changes: new PendingChanges(tree), peer, ttlNodes };
      const answer = write ? write(context, body, () => this.nextMoment()) : read?.(context, body);
      return { zxid: this.zxid, err: ErrorCode.OK, body: answer };
    } catch (error) {
      const { code, body: begun } = asZkError(error);
      return { zxid: this.zxid, err: code, body: begun };
    }
  }

  /**
   * Removes containers that have lost all their children, and TTL nodes that were not changed for longer than their TTL
   * and have no children, each in a transaction of its own. A parent that becomes empty by it waits for the next call.
   */
  reap(): void {
    for (const path of findReapable(this.tree, BigInt(this.now()))) {
      const { zxid } = this.nextMoment();
      this.tree.delete(path, zxid);
    }
  }

  /**
   * For tests: the number that the next sequential child of this node gets.
   * @param next 0 to 2^31 - 1, where it sticks
   */
  setSequence(path: string, next: number): void {
    const node = this.tree.get(path);
    if (!node) throw new Error(`No node ${path} to set the sequence of`);
    if (!Number.isInteger(next) || next < 0 || next > MAX_INT32) {
      throw new RangeError(`The sequence of ${path} cannot be ${next}: 0 to ${MAX_INT32}`);
    }
    node.creates = next;
  }

  /** The next transaction gets this zxid, unless the next one is above it anyway: a restart begins a new epoch. */
  raiseZxid(next: bigint): void {
    if (next > this.zxid) this.zxid = next - 1n;
  }

  /** One node, whatever its ACL says; undefined when there is none. */
  read(path: string): Pick<DataNode, 'data' | 'stat' | 'children'> | undefined {
    return this.tree.get(path);
  }

  /** The tree, a node a line, for people. */
  dump(): string {
    return dumpTree(this.tree);
  }

  get figures(): DatabaseFigures {
    const { tree } = this;
    let approximateDataSize = 0;
    for (const [path, { data }] of tree.entries()) {
      if (path !== '') approximateDataSize += path.length + (data?.length ?? 0);
    }
    const dataWatches = tree.dataWatches.counts;
    return {
      nodes: tree.size,
      ephemerals: tree.ephemeralCount,
      approximateDataSize,
      watches: dataWatches.watches + tree.childWatches.counts.watches,
      dataWatches,
    };
  }

  /** A failed write takes a zxid as well, as in ZooKeeper. */
  private nextMoment(): Moment {
    this.zxid += 1n;
    return { zxid: this.zxid, time: BigInt(this.now()) };
  }
}

function asZkError(error: unknown): ZkError {
  if (error instanceof ZkError) return error;
  if (error instanceof MalformedRecordError) return new ZkError(ErrorCode.MarshallingError);
  throw error;
}
