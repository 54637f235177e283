import { ListenersByKey } from '../session/listeners-by-key.js';
import { MAX_WATCH_BYTES } from '../session/watch-registry.js';
import type { ZkSession } from '../session/zk-session.js';
import { MAX_GRANTS_PER_NODE } from './fencing-token.js';
import { isTrusted, READ_MARK, type LockMark, type LockNode } from './lock-node.js';

/** So many queues of a session are remembered; the one that was not used for longest is forgotten first. */
const REMEMBERED = 1_000;
/** A node that goes on with the grants of the one before has at least so many left. */
const MOST_GRANTS_BEFORE = MAX_GRANTS_PER_NODE / 2;
const NO_MARKS: readonly LockMark[] = [];

/** A node of this session. */
interface NodeOfOurs {
  readonly name: string;
  readonly zxid: number | undefined;
  readonly grants: number;
}

/** The last of the queue's numbers was this session's, and these were the grants of its node. */
interface LastGrants {
  readonly sequence: number;
  readonly zxid: number;
  readonly grants: number;
}

/**
 * What a session knows of the queue of one lock, so that it need not be asked for each time.
 *
 * ZooKeeper numbers the children of a node by counting all that were ever created there. When a new node gets the number
 * after the highest one known, nobody came in between: the queue is what was known, less whoever has left since. Whom
 * it names before us may have left, never the other way round. The numbers are those of one node: a parent that was
 * removed and made again counts from 0. Where somebody is still there, the name that he is watched by tells (it is
 * unique); where nobody is, a watch on the parent does. See docs/architecture.md.
 */
export class KnownQueue {
  private marks = NO_MARKS;
  private queue: LockNode[] | undefined;
  private connection = -1;
  private next = 0;
  /** True when the latest node came right after those known: it is worth to expect that again. */
  private isReliable = false;
  /** Which parent (by its czxid) the numbers are of. */
  private listedParent: number | undefined;
  /** The watch on a parent while it stands, and which one that is, once it is known. */
  private watch: { parent?: number } | undefined;
  private last: LastGrants | undefined;
  /** By the name of a node: who waits until it is the first. */
  private readonly firstInLine = new ListenersByKey();

  constructor(
    private readonly session: ZkSession,
    private readonly path: string,
  ) {}

  /** True when a new node need not ask for the queue, most likely. */
  get isExpected(): boolean {
    const { queue } = this;
    if (!this.isReliable || queue === undefined || !this.isCurrent) return false;
    return queue.length > 0 || this.grantsGoOn;
  }

  /** Called before a list is sent: from the next one on, the parent is certain. */
  prepare(): void {
    const isEmpty = this.isReliable && this.queue?.length === 0;
    if (!isEmpty || this.watch !== undefined || this.session.watches.armedBytes > MAX_WATCH_BYTES / 4) return;
    const watch: { parent?: number } = {};
    this.watch = watch;
    const end = (): void => {
      unlisten();
      if (this.watch === watch) this.watch = undefined;
    };
    const unlisten = this.session.watches.listen(this.path, (event) => event !== 'child' && end());
    this.session.get(this.path, true).then(({ stat }) => (watch.parent = stat.czxid), end);
  }

  /**
   * Calls the listener whenever a list, or the delete of a node of this session that was granted, shows that the node of
   * this name is the first. That stays so: nobody comes in before a node that is there. The returned function takes it away.
   */
  whenFirst(name: string, listener: () => void): () => void {
    return this.firstInLine.listen(name, listener);
  }

  /** The queue was listed. */
  learn(queue: readonly LockNode[], marks: readonly LockMark[], connection: number, parent: number): void {
    this.queue = [...queue];
    this.marks = marks;
    this.connection = connection;
    if (parent !== this.listedParent) this.last = undefined; // its number was another parent's
    this.listedParent = parent;
    this.next = (queue.at(-1)?.sequence ?? -2) + 1;
    const [first] = queue;
    if (first !== undefined && this.isCurrent) this.firstInLine.tell(first.name);
  }

  /** A new node of this session: the queue with it, when nobody came in between. */
  join(node: LockNode, marks: readonly LockMark[]): readonly LockNode[] | undefined {
    const { queue } = this;
    this.isReliable =
      queue !== undefined &&
      marks === this.marks &&
      this.isCurrent &&
      node.sequence === this.next &&
      isTrusted(node.sequence);
    if (!this.isReliable) {
      this.queue = undefined;
      return undefined;
    }
    queue?.push(node);
    this.next += 1;
    return queue;
  }

  /**
   * What the grants of a node go on with, which is alone in the known queue: the numbers of the one that was last
   * before it. Undefined when it is not certain that it is alone.
   */
  grantsBefore({ sequence }: LockNode): LastGrants | undefined {
    return this.last?.sequence === sequence - 1 && this.grantsGoOn ? this.last : undefined;
  }

  /** The delete of a node of this session was sent: what is sent from now on finds it gone. */
  leave({ name: own, zxid, grants }: NodeOfOurs): void {
    const { queue } = this;
    const at = queue?.findIndex(({ name }) => name === own) ?? -1;
    if (queue === undefined || at === -1) return;
    const [node] = queue.splice(at, 1);
    const wasFirst = grants > 0 && node?.mark !== READ_MARK; // a reader may have had others before it
    if (wasFirst && this.isCurrent) this.tellThoseBehind(own, queue[at]);
    if (node?.sequence !== this.next - 1 || zxid === undefined || grants === 0) return;
    this.last = { sequence: node.sequence, zxid, grants };
  }

  /** Who asks from now on finds the own node gone, so that nothing is left before the next one. */
  private tellThoseBehind(own: string, next: LockNode | undefined): void {
    this.firstInLine.tell(own);
    if (next !== undefined) this.firstInLine.tell(next.name);
  }

  private get isCurrent(): boolean {
    return this.session.connectionNumber === this.connection;
  }

  private get grantsGoOn(): boolean {
    const { last, watch, listedParent } = this;
    return (
      this.isCurrent &&
      watch?.parent !== undefined &&
      watch.parent === listedParent &&
      last !== undefined &&
      last.grants < MOST_GRANTS_BEFORE
    );
  }
}

const ofSessions = new WeakMap<ZkSession, Map<string, KnownQueue>>();

/** What the session knows of the queue of a path. */
export function knownQueue(session: ZkSession, path: string): KnownQueue {
  let queues = ofSessions.get(session);
  if (queues === undefined) ofSessions.set(session, (queues = new Map<string, KnownQueue>()));
  const known = queues.get(path) ?? new KnownQueue(session, path);
  queues.delete(path); // a Map keeps the order of insertion
  queues.set(path, known);
  if (queues.size > REMEMBERED) for (const oldest of queues.keys()) return (queues.delete(oldest), known);
  return known;
}
