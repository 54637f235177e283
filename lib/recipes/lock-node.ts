import { randomUUID } from 'node:crypto';

/**
 * The marks that stand before the sequence in the names of lock nodes, as Apache Curator writes them: its mutex and
 * LeaderSelector, read/write lock, semaphore and LeaderLatch; and as Python's kazoo writes them: its lock and read lock.
 */
export const MARKS = ['lock-', '__READ__', '__WRIT__', 'lease-', 'latch-', '__lock__', '__rlock__'] as const;
export type LockMark = (typeof MARKS)[number];
export const READ_MARK = '__READ__';
export const WRITE_MARK = '__WRIT__';

/** A contender's node: whatever stands before the mark (a GUID, another library's prefix) says nothing about order. */
export interface LockNode {
  readonly name: string;
  readonly mark: LockMark;
  /** The parent's counter when the node was made: a signed 32-bit integer. */
  readonly sequence: number;
}

/**
 * From here on, and below zero, sequences are not trusted: the server's counter sticks at 2^31 - 1, where everyone gets
 * the same number (ZOOKEEPER-3249; measured on 3.8.0), or goes on with negative ones.
 */
export const FIRST_UNTRUSTED_SEQUENCE = 2 ** 31 - 2 ** 20;

// `%010d` of a signed number: ten digits, or a minus sign and nine or ten digits.
const NODE_NAME = new RegExp(`(${MARKS.join('|')})(\\d{10}|-\\d{9,10})$`);

/** What was parsed before: every child is in many lists. Emptied when it is full. */
const parsed = new Map<string, LockNode | undefined>();
const MAX_PARSED = 2_000;

/** Undefined for a child that is no contender of any kind of lock. */
export function parseLockNode(name: string): LockNode | undefined {
  let node = parsed.get(name);
  if (node === undefined && !parsed.has(name)) {
    node = parse(name);
    if (parsed.size === MAX_PARSED) parsed.clear();
    parsed.set(name, node);
  }
  return node;
}

function parse(name: string): LockNode | undefined {
  const [, mark, digits] = NODE_NAME.exec(name) ?? [];
  if (mark === undefined || digits === undefined) return undefined;
  return { name, mark: mark as LockMark, sequence: Number(digits) };
}

export function isTrusted(sequence: number): boolean {
  return sequence >= 0 && sequence < FIRST_UNTRUSTED_SEQUENCE;
}

/** Order of the queue: by the number, never by the name. */
export function bySequence(a: LockNode, b: LockNode): number {
  return a.sequence - b.sequence;
}

/** `_c_<uuid>-`: by it a contender finds its node again when the answer to its create was lost (Curator's protection). */
export function newProtection(): string {
  return `_c_${randomUUID()}-`;
}
