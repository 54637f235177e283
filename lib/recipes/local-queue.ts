import type { Cancellation } from '../session/cancellation.js';
import type { LockMark, LockNode } from './lock-node.js';
import type { QueueRule } from './queue-rules.js';

/** How somebody queues. */
interface Entrant {
  readonly mark: LockMark;
  readonly rule: QueueRule;
}

interface Entry extends Entrant, LockNode {
  isIn: boolean;
  /** Called once. */
  readonly admit: () => void;
}

/** The queue of one lock in this process: the rules are those of ZooKeeper's, and it needs no server. */
export class LocalQueue {
  private readonly entries: Entry[] = [];
  private last = 0;

  get isEmpty(): boolean {
    return this.entries.length === 0;
  }

  /** Whether somebody who came now would be in at once. */
  admits(entrant: Entrant): boolean {
    return entrant.rule([...this.entries, this.entryOf(entrant)], this.entries.length).granted;
  }

  /** Resolves when it is the caller's turn, to what leaves the queue; rejects with the reason of the cancellation. */
  enter(entrant: Entrant, cancellation: Cancellation): Promise<() => void> {
    return new Promise((resolve, reject) => {
      let forget: () => void = () => undefined;
      const entry = this.entryOf(entrant, () => {
        forget();
        resolve(() => this.leave(entry));
      });
      this.last = entry.sequence;
      this.entries.push(entry);
      this.admitWhoMay();
      if (entry.isIn) return;
      forget = cancellation.onOver((reason) => {
        this.leave(entry);
        reject(reason);
      });
    });
  }

  private leave(entry: Entry): void {
    const at = this.entries.indexOf(entry);
    if (at === -1) return;
    this.entries.splice(at, 1);
    this.admitWhoMay();
  }

  private admitWhoMay(): void {
    this.entries.forEach((entry, index) => {
      if (entry.isIn || !entry.rule(this.entries, index).granted) return;
      entry.isIn = true;
      entry.admit();
    });
  }

  private entryOf({ mark, rule }: Entrant, admit: () => void = () => undefined): Entry {
    const sequence = this.last + 1;
    return { name: `local-${sequence}`, mark, rule, sequence, isIn: false, admit };
  }
}
