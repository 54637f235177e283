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

const DIGITS = 10;
// `%010d` of a negative number: a minus sign and nine or ten digits.
const NEGATIVE = new RegExp(`(${MARKS.join('|')})(-\\d{9,10})$`);

/** Undefined for a child that is no contender of any kind of lock. */
export function parseLockNode(name: string): LockNode | undefined {
  // No expression for what all are: a hundred contenders that list each other read ten thousand names.
  const start = name.length - DIGITS;
  let sequence = 0;
  for (let at = start; at < name.length; at += 1) {
    const digit = name.charCodeAt(at) - 48;
    if (!(digit >= 0 && digit <= 9)) return parseNegative(name);
    sequence = sequence * 10 + digit;
  }
  const mark = MARKS.find((each) => name.endsWith(each, start));
  return mark === undefined ? parseNegative(name) : { name, mark, sequence };
}

function parseNegative(name: string): LockNode | undefined {
  const [, mark, digits] = NEGATIVE.exec(name) ?? [];
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
