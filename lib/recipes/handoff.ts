import type { ZkConnection } from '../session/zk-connection.js';
import type { Attempt } from './attempt.js';
import type { Grant, QueueTicket } from './queue-ticket.js';
import type { Caller } from './callers.js';
import type { SharingLimits } from './handoff-options.js';
import { SharedNode, type SharedNodeOwner } from './shared-node.js';

/** So many nodes of a connection are kept at most although nobody has them. */
const MAX_RESTING = 1_000;

/**
 * Callers of this process who want the same lock: they queue in memory behind one node, first come first served, and
 * pass it on without a request. Strict order inside the process; between processes it is the order of the nodes.
 */
export class Handoff {
  private readonly queues = new Map<string, ProcessQueue>();
  /** Kept although nobody has them, the longest first. */
  private readonly resting = new Set<SharedNode>();

  constructor(private readonly connection: ZkConnection) {}

  /** Resolves with a grant, to be given back; rejects with a QueueFailure. */
  enter(ticket: QueueTicket, attempt: Attempt, limits: SharingLimits): Promise<Grant> {
    const name = `${ticket.path}/${ticket.kind.mark}`;
    let queue = this.queues.get(name);
    if (queue === undefined) {
      queue = new ProcessQueue(this.connection, this.resting, () => this.queues.delete(name));
      this.queues.set(name, queue);
    }
    return queue.enter(ticket, attempt, limits);
  }

  /** How many nodes are kept although nobody has them. */
  get idle(): number {
    return this.resting.size;
  }

  /** Gives up what nobody has. Resolves when that is gone for certain. */
  async giveUpIdle(): Promise<void> {
    await Promise.all([...this.resting].map((node) => node.giveUpIdle()));
  }
}

/** The nodes of this process in the queue of one lock: the newest one takes callers, those before it serve theirs. */
class ProcessQueue implements SharedNodeOwner {
  private readonly nodes = new Set<SharedNode>();
  private newest: SharedNode | undefined;

  constructor(
    private readonly connection: ZkConnection,
    private readonly resting: Set<SharedNode>,
    private readonly onEmpty: () => void,
  ) {}

  enter(ticket: QueueTicket, attempt: Attempt, limits: SharingLimits): Promise<Grant> {
    return new Promise((resolve, reject) => {
      const caller: Caller = {
        ticket,
        limits,
        attempt,
        resolve: (grant) => {
          forget();
          resolve(grant);
        },
        reject: (failure) => {
          forget();
          reject(failure);
        },
        node: undefined,
      };
      const forget = attempt.onOver((reason) => reject(caller.node?.leave(caller, reason) ?? reason));
      if (!attempt.isOver) this.nodeFor(caller).join(caller);
    });
  }

  moved(from: SharedNode, callers: readonly Caller[]): void {
    const [first] = callers;
    if (first !== undefined) (this.nodeAfter(from) ?? this.nodeFor(first)).joinFirst(callers);
  }

  rests(node: SharedNode): void {
    this.resting.add(node);
    const [longest] = this.resting;
    if (this.resting.size > MAX_RESTING) void longest?.giveUpIdle();
  }

  wakes(node: SharedNode): void {
    this.resting.delete(node);
  }

  ended(node: SharedNode): void {
    this.nodes.delete(node);
    if (this.newest === node) this.newest = undefined;
    if (this.nodes.size === 0) this.onEmpty();
  }

  /** Whoever has to leave a node comes before those of the next one. */
  private nodeAfter(node: SharedNode): SharedNode | undefined {
    const all = [...this.nodes];
    return all.slice(all.indexOf(node) + 1).find(({ isOpen }) => isOpen);
  }

  private nodeFor({ ticket, limits }: Caller): SharedNode {
    const last = this.newest;
    if (last?.accepts() === true) return last;
    const node = new SharedNode(this.connection, ticket, limits, this);
    this.nodes.add(node);
    this.newest = node;
    last?.giveUpIfUseless(); // those whom it does not serve any more are before the caller
    void node.start();
    return node;
  }
}
