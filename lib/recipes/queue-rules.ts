import { LockConfigError } from '../errors/lock-config.error.js';
import { LockSequenceError } from '../errors/lock-sequence.error.js';
import {
  bySequence,
  isTrusted,
  parseLockNode,
  WRITE_MARK,
  type LockMark,
  type LockNode,
} from './lock-node.js';

/** Where a contender stands. */
export interface Turn {
  readonly granted: boolean;
  /** Place in the queue; 1 is the first. */
  readonly position: number;
  /** The node to watch while waiting, or all of the queue (only where few wait at a time). */
  readonly watch?: LockNode | 'queue';
  /** True when nothing but the watched node stands in the way: its deletion is the grant, no further look is needed. */
  readonly deletionGrants: boolean;
}

/** Decides from the queue, lowest sequence first, whether the contender at `index` may enter and else whom it watches. */
export type QueueRule = (queue: readonly LockNode[], index: number) => Turn;

/** Nobody before me: mutexes, leaders, and writers. */
export const exclusive: QueueRule = (queue, index) => ({
  granted: index === 0,
  position: index + 1,
  watch: queue[index - 1],
  deletionGrants: index === 1,
});

/** No writer before me; the closest one is watched. Readers before me do not matter. */
export const read: QueueRule = (queue, index) => {
  const writers = queue.slice(0, index).filter(({ mark }) => mark === WRITE_MARK);
  return {
    granted: writers.length === 0,
    position: index + 1,
    watch: writers.at(-1),
    deletionGrants: writers.length === 1, // no writer can come before me later
  };
};

/** One of the first `limit` in the queue: a semaphore's permits. */
export const among =
  (limit: () => number): QueueRule =>
  (_queue, index) => ({
    granted: index < limit(),
    position: index + 1,
    watch: 'queue',
    deletionGrants: false,
  });

/** Children of a semaphore's path. */
export const SEMAPHORE_FOLDERS: ReadonlySet<string> = new Set(['leases', 'locks']);

/**
 * The contenders among `children`, in the order of the queue. Children that are no contenders are ignored.
 * @throws LockConfigError when the key is used as another kind of lock, too: the two would not exclude each other. Of a
 * semaphore there are only the folders to be seen (see `semaphoreFolders`).
 * @throws LockSequenceError when the order cannot be trusted.
 */
export function readQueue(
  path: string,
  children: readonly string[],
  marks: readonly LockMark[],
): readonly LockNode[] {
  const known = readBefore.get(children);
  if (known?.marks === marks) return known.queue;
  const queue: LockNode[] = [];
  const folders: string[] = [];
  for (const name of children) {
    const node = parseLockNode(name);
    if (node === undefined) {
      if (SEMAPHORE_FOLDERS.has(name)) folders.push(name);
      continue;
    }
    if (!marks.includes(node.mark)) throw usedAsAnotherKind(path, name, marks);
    queue.push(node);
  }
  queue.sort(bySequence);
  queue.forEach((node, index) => {
    const equal = queue[index + 1]?.sequence === node.sequence;
    if (isTrusted(node.sequence) && !equal) return;
    throw new LockSequenceError(
      `The sequence of ${path}/${node.name} ${equal ? 'is the same as that of another node' : 'is at the end of the counter'}: ` +
        'the order of the contenders cannot be trusted, no lock is granted. The counter starts again when the parent node ' +
        'is deleted, which happens by itself once its last child has gone. If children of others stay, delete them and the parent.',
    );
  });
  readBefore.set(children, { marks, queue, folders });
  return queue;
}

/** Two kinds of lock under one key would not exclude each other. */
export function usedAsAnotherKind(path: string, child: string, own: readonly string[]): LockConfigError {
  return new LockConfigError(
    `${path} is used as another kind of lock as well (its child is "${child}", this kind's are "${own.join('", "')}"): ` +
      'the two do not exclude each other. Use one kind of lock per key.',
  );
}

/** Lists are shared by all who wait under one path: each is read once, however many they are. */
const readBefore = new WeakMap<readonly string[], ReadQueue>();

interface ReadQueue {
  readonly marks: readonly LockMark[];
  readonly queue: readonly LockNode[];
  readonly folders: readonly string[];
}

/** The folders of a semaphore among `children`, of which a queue was read. */
export function semaphoreFolders(children: readonly string[]): readonly string[] {
  return readBefore.get(children)?.folders ?? [];
}

/** The place of a node in the queue; -1 when it is not there. */
export function placeIn(queue: readonly LockNode[], name: string): number {
  const { sequence } = parseLockNode(name) ?? { sequence: NaN };
  let low = 0;
  let high = queue.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((queue[middle]?.sequence ?? Infinity) < sequence) low = middle + 1;
    else high = middle;
  }
  return queue[low]?.name === name ? low : -1;
}
