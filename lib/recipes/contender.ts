import { isZkOperationError, ZkCode } from '../errors/zk-operation.error.js';
import type { ZkSession } from '../session/zk-session.js';
import { readHolderRecord, type HolderRecord } from './holder-record.js';
import { bySequence, parseLockNode, type LockMark, type LockNode } from './lock-node.js';

/** One contender of a lock, as read from ZooKeeper. */
export interface Contender {
  /** Place in the queue: 1 holds (or is about to). */
  readonly position: number;
  readonly state: 'holding' | 'waiting';
  /** When its node was made, by ZooKeeper's clock. */
  readonly since: Date;
  /** Sequence number of its node. */
  readonly sequence: number;
  /** ZooKeeper session that owns the node, `0x…`. */
  readonly sessionId: string;
  /** The full path of its node. */
  readonly path: string;
  /** True when the node belongs to this process's session. */
  readonly mine: boolean;
  /** Undefined for contenders of other libraries (Curator, …), like all that follows. */
  readonly host?: string;
  readonly pid?: number;
  /** Tells two connections of one process apart. */
  readonly instance?: string;
  readonly purpose?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** Reads the queue of a lock, the first one first; empty when nobody wants it. */
export async function readContenders(
  session: ZkSession,
  path: string,
  marks: readonly LockMark[],
): Promise<Contender[]> {
  const children = await session.getChildren(path).then((listing) => listing.children, orIfMissing([]));
  const nodes = children
    .map(parseLockNode)
    .filter((node): node is LockNode => node !== undefined && marks.includes(node.mark))
    .sort(bySequence);
  const read = await Promise.all(
    nodes.map(async (node) => {
      const found = await session.get(`${path}/${node.name}`).catch(orIfMissing(undefined));
      return found && { node, ...found };
    }),
  );
  return read
    .filter((found) => found !== undefined)
    .map(({ node, stat, data }, index) => {
      const record = readHolderRecord(data);
      return {
        position: index + 1,
        state: index === 0 ? 'holding' : 'waiting',
        since: stat.ctime,
        sequence: node.sequence,
        sessionId: `0x${stat.ephemeralOwner}`,
        path: `${path}/${node.name}`,
        mine: session.owns(stat),
        ...known(record),
      };
    });
}

/** The record of one node and when it was made; undefined when it is gone. */
export async function readContender(
  session: ZkSession,
  path: string,
): Promise<{ record: HolderRecord | undefined; since: Date; sessionId: string } | undefined> {
  const found = await session.get(path).catch(orIfMissing(undefined));
  return (
    found && {
      record: readHolderRecord(found.data),
      since: found.stat.ctime,
      sessionId: `0x${found.stat.ephemeralOwner}`,
    }
  );
}

function known(record: HolderRecord | undefined): Omit<HolderRecord, 'v' | 'since'> | undefined {
  if (record === undefined) return undefined;
  const { v: _version, since: _since, ...who } = record;
  return who;
}

function orIfMissing<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (isZkOperationError(error, ZkCode.noNode)) return value;
    throw error;
  };
}
