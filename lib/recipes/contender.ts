import { isZkOperationError, ZkCode } from '../errors/zk-operation.error.js';
import type { ZkSession } from '../session/zk-session.js';
import { readHolderRecord, type HolderRecord } from './holder-record.js';
import type { LockMode } from './held-lock.js';
import {
  bySequence,
  parseLockNode,
  READ_MARK,
  WRITE_MARK,
  type LockMark,
  type LockNode,
} from './lock-node.js';
import { exclusive, read as readRule, SEMAPHORE_FOLDERS, type QueueRule } from './queue-rules.js';

/** One contender of a lock, as read from ZooKeeper. */
export interface Contender {
  /** Place in the queue: 1 holds (or is about to). */
  readonly position: number;
  readonly state: 'holding' | 'waiting';
  readonly mode: LockMode;
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

const MODES: Record<LockMark, LockMode> = {
  'lock-': 'exclusive',
  [READ_MARK]: 'read',
  [WRITE_MARK]: 'write',
  'lease-': 'permit',
  'latch-': 'leader',
  __lock__: 'exclusive',
  __rlock__: 'read',
};
/** Who of a queue is in; everybody else is exclusive. */
const RULES: Partial<Record<LockMark, QueueRule>> = { [READ_MARK]: readRule };

/** Reads the queue of a lock, the first one first; empty when nobody wants it. */
export async function readContenders(session: ZkSession, path: string): Promise<Contender[]> {
  const children = await childrenOf(session, path);
  if (!children.some((name) => SEMAPHORE_FOLDERS.has(name))) {
    return (await readNodes(session, path, children)).map(({ contender }) => contender);
  }
  const [leases, door] = await Promise.all(
    ['leases', 'locks'].map(async (folder) => {
      const queue = `${path}/${folder}`;
      return readNodes(session, queue, await childrenOf(session, queue));
    }),
  );
  // Only the first at the door makes leases: those of the same entry are what it still waits for.
  const first = door?.[0];
  const isPending = ({ zxid, entry, contender }: ReadNode): boolean => {
    if (contender.sessionId !== first?.contender.sessionId) return false;
    return first.entry === undefined ? zxid > first.zxid : entry === first.entry;
  };
  const holding = (leases ?? []).filter((lease) => !isPending(lease));
  const all = [
    ...holding.map(({ contender }) => ({ ...contender, state: 'holding' as const })),
    ...(door ?? []).map(({ contender }) => ({
      ...contender,
      state: 'waiting' as const,
      mode: 'permit' as const,
    })),
  ];
  return all.map((contender, index) => ({ ...contender, position: index + 1 }));
}

interface ReadNode {
  readonly contender: Contender;
  readonly zxid: number;
  readonly entry: string | undefined;
}

async function childrenOf(session: ZkSession, path: string): Promise<string[]> {
  return session.getChildren(path).then((listing) => listing.children, orIfMissing([]));
}

async function readNodes(session: ZkSession, path: string, children: readonly string[]): Promise<ReadNode[]> {
  const nodes = children
    .map(parseLockNode)
    .filter((node): node is LockNode => node !== undefined)
    .sort(bySequence);
  const read = await Promise.all(
    nodes.map(async (node) => {
      const found = await session.get(`${path}/${node.name}`).catch(orIfMissing(undefined));
      return found && { node, ...found };
    }),
  );
  const present = read.filter((found) => found !== undefined);
  const queue = present.map(({ node }) => node);
  return present.map(({ node, stat, data }, index) => {
    const rule = RULES[node.mark] ?? exclusive;
    const record = readHolderRecord(data);
    const contender: Contender = {
      position: index + 1,
      state: rule(queue, index).granted ? 'holding' : 'waiting',
      mode: MODES[node.mark],
      since: stat.ctime,
      sequence: node.sequence,
      sessionId: `0x${stat.ephemeralOwner}`,
      path: `${path}/${node.name}`,
      mine: session.owns(stat),
      ...known(record),
    };
    return { contender, zxid: stat.czxid, entry: record?.entry };
  });
}

/** What one node says of its owner. */
export interface FoundContender {
  readonly record: HolderRecord | undefined;
  readonly since: Date;
  readonly sessionId: string;
}

/** Looks under way: many callers that give up at once need one request, not a thousand. */
const looks = new WeakMap<ZkSession, Map<string, Promise<FoundContender | undefined>>>();

/** The record of one node and when it was made; undefined when it is gone. */
export function readContender(session: ZkSession, path: string): Promise<FoundContender | undefined> {
  const under = looks.get(session) ?? new Map<string, Promise<FoundContender | undefined>>();
  looks.set(session, under);
  let look = under.get(path);
  if (look === undefined) {
    look = readOne(session, path).finally(() => under.delete(path));
    under.set(path, look);
  }
  return look;
}

async function readOne(session: ZkSession, path: string): Promise<FoundContender | undefined> {
  const found = await session.get(path).catch(orIfMissing(undefined));
  return (
    found && {
      record: readHolderRecord(found.data),
      since: found.stat.ctime,
      sessionId: `0x${found.stat.ephemeralOwner}`,
    }
  );
}

function known(record: HolderRecord | undefined): Omit<HolderRecord, 'v' | 'since' | 'entry'> | undefined {
  if (record === undefined) return undefined;
  const { v: _version, since: _since, entry: _entry, ...who } = record;
  return who;
}

function orIfMissing<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (isZkOperationError(error, ZkCode.noNode)) return value;
    throw error;
  };
}
