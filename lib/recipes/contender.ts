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
  /** The path of its node, below the chroot. */
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
  /** What a contender of another library wrote into its node, at most 1 KiB: the id of a LeaderLatch, for one. */
  readonly data?: string;
}

/** What is asked to read a queue. */
export type NodeReader = Pick<ZkSession, 'get' | 'getChildren' | 'owns'>;

const MAX_DATA_BYTES = 1_024;

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

/** Reads the queue of a lock, the first one first; empty when nobody wants it. Its paths are full ones. */
export async function readContenders(reader: NodeReader, path: string): Promise<Contender[]> {
  return (await readContenderNodes(reader, path)).map(({ contender }) => contender);
}

/** A contender, and what only this library needs of its node. */
export interface ContenderNode {
  readonly contender: Contender;
  readonly zxid: number;
  /** Ties the nodes of one entry together. */
  readonly entry: string | undefined;
}

/** The same, with what ties the nodes of one holder together. */
export async function readContenderNodes(reader: NodeReader, path: string): Promise<ContenderNode[]> {
  const children = await childrenOf(reader, path);
  const own = await readNodes(reader, path, children);
  if (!children.some((name) => SEMAPHORE_FOLDERS.has(name))) return own;
  // The folders of a semaphore outlive its use.
  const all = [...own, ...(await readSemaphore(reader, path))];
  return all.map((node, index) => ({ ...node, contender: { ...node.contender, position: index + 1 } }));
}

async function readSemaphore(reader: NodeReader, path: string): Promise<ContenderNode[]> {
  const [leases = [], door = []] = await Promise.all(
    ['leases', 'locks'].map(async (folder) => {
      const queue = `${path}/${folder}`;
      return readNodes(reader, queue, await childrenOf(reader, queue));
    }),
  );
  // Only the first at the door makes leases: those of the same entry are what it still waits for.
  const [first] = door;
  const isPending = ({ zxid, entry, contender }: ContenderNode): boolean => {
    if (contender.sessionId !== first?.contender.sessionId) return false;
    return first.entry === undefined ? zxid > first.zxid : entry === first.entry;
  };
  const as = (state: Contender['state']) => (node: ContenderNode) => ({
    ...node,
    contender: { ...node.contender, state, mode: 'permit' as const },
  });
  const holding = leases.filter((lease) => !isPending(lease));
  return [...holding.map(as('holding')), ...door.map(as('waiting'))];
}

/** Empty when there is no such node. */
export async function childrenOf(reader: NodeReader, path: string): Promise<string[]> {
  return reader.getChildren(path).then((listing) => listing.children, orIfMissing([]));
}

async function readNodes(
  reader: NodeReader,
  path: string,
  children: readonly string[],
): Promise<ContenderNode[]> {
  const nodes = children
    .map(parseLockNode)
    .filter((node): node is LockNode => node !== undefined)
    .sort(bySequence);
  const read = await Promise.all(
    nodes.map(async (node) => {
      const found = await reader.get(`${path}/${node.name}`).catch(orIfMissing(undefined));
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
      mine: reader.owns(stat),
      ...(record === undefined ? foreign(data) : known(record)),
    };
    return { contender, zxid: stat.czxid, entry: record?.entry };
  });
}

/** What one node says of its owner. */
export type FoundContender = Known & Pick<Contender, 'since' | 'sessionId'>;

/** Looks under way: many callers that give up at once need one request, not a thousand. */
const looks = new WeakMap<ZkSession, Map<string, Promise<FoundContender | undefined>>>();

/** Who made one node, and when; undefined when it is gone. */
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
      ...whoWrote(found.data),
      since: found.stat.ctime,
      sessionId: `0x${found.stat.ephemeralOwner}`,
    }
  );
}

type Known = Pick<Contender, 'host' | 'pid' | 'instance' | 'purpose' | 'metadata'>;

/** Who wrote the data of a node, as far as it is known. */
export function whoWrote(data: Buffer): Known {
  return known(readHolderRecord(data));
}

/** What is believed of a record: others may write anything into their nodes, and nothing of it replaces what ZooKeeper says. */
function known(record: HolderRecord | undefined): Known {
  const { host, pid, instance, purpose, metadata }: Partial<Record<keyof Known, unknown>> = record ?? {};
  return {
    ...(typeof host === 'string' && { host }),
    ...(typeof pid === 'number' && { pid }),
    ...(typeof instance === 'string' && { instance }),
    ...(typeof purpose === 'string' && { purpose }),
    ...(isObject(metadata) && { metadata }),
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function foreign(data: Buffer): Pick<Contender, 'data'> {
  if (data.length === 0) return {};
  // As a stream: the bytes of a character that was cut are left out.
  return { data: new TextDecoder().decode(data.subarray(0, MAX_DATA_BYTES), { stream: true }) };
}

function orIfMissing<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (isZkOperationError(error, ZkCode.noNode)) return value;
    throw error;
  };
}
