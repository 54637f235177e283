import { isZkOperationError, ZkCode } from '../errors/zk-operation.error.js';
import type { WatchRegistry } from '../session/watch-registry.js';
import type { OwnNode } from './own-node.js';
import { placeIn, readQueue } from './queue-rules.js';
import type { QueueTicket } from './queue-ticket.js';
import { WRITE_MARK } from './lock-node.js';

/**
 * Tells the holder of a shared node when somebody outside waits behind it. One list with a watch is enough while
 * nothing changes; no hand-over ever waits for it.
 */
export class Company {
  private readonly watches: WatchRegistry;
  private unlisten: (() => void) | undefined;
  private looking = false;
  /** Something may have changed since the last look was sent. */
  private changed = true;

  constructor(
    private readonly node: OwnNode,
    private readonly ticket: QueueTicket,
    /** Called when it is known that nobody waits behind it, after a watch() or a change. */
    private readonly onAlone: () => void,
    /** Called once: somebody does. */
    private readonly onCompany: () => void,
  ) {
    this.watches = node.session.watches;
  }

  /** True while it is known that nobody waits behind the node. */
  get isAlone(): boolean {
    return this.unlisten !== undefined && !this.changed && !this.looking;
  }

  /** From now on the queue is watched. */
  watch(): void {
    if (this.unlisten !== undefined) return;
    this.unlisten = this.watches.listen(this.ticket.path, () => this.look());
    this.look();
  }

  /** Hears no more of the queue; the watch that may be set fires once more, at the next change. */
  stop(): void {
    this.unlisten?.();
    this.unlisten = undefined;
  }

  private look(): void {
    this.changed = true;
    if (!this.looking) void this.lookUntilUnchanged();
  }

  private async lookUntilUnchanged(): Promise<void> {
    this.looking = true;
    let alone = false;
    try {
      while (this.changed && this.unlisten !== undefined) {
        this.changed = false;
        alone = !(await this.hasCompany());
        if (!alone) break;
      }
    } catch (error) {
      this.changed = true; // not known to be alone, whatever was the matter
      if (isZkOperationError(error, ZkCode.noNode)) this.node.noteRemoved(); // with its parent
      return; // otherwise the connection broke: then the node is not trusted any more
    } finally {
      this.looking = false;
    }
    if (this.unlisten === undefined) return;
    if (alone) {
      this.onAlone();
    } else {
      this.stop();
      this.onCompany();
    }
  }

  /** Readers are no company for readers. */
  private async hasCompany(): Promise<boolean> {
    const {
      path,
      kind: { marks, sharing },
    } = this.ticket;
    const { children } = await this.node.session.getChildren(path, true);
    let queue;
    try {
      queue = readQueue(path, children, marks);
    } catch {
      return true; // whatever is wrong there, whoever comes next has to look for himself
    }
    const place = placeIn(queue, this.node.path.slice(path.length + 1));
    if (place === -1) this.node.noteRemoved();
    const behind = queue.slice(place + 1);
    return sharing === 'readers' ? behind.some(({ mark }) => mark === WRITE_MARK) : behind.length > 0;
  }
}
