import { Hold } from '../../../lib/recipes/hold.js';
import { QueueEntry } from '../../../lib/recipes/queue-entry.js';
import { ZkSession } from '../../../lib/session/zk-session.js';

interface EntryInternals {
  ticket: object;
  protection: string;
  findOwnAgain(): Promise<object | undefined>;
  enqueue(): Promise<void>;
}
interface SessionInternals {
  lease: { isFresh(): boolean };
  restore(): void;
}
interface HoldInternals {
  released: boolean;
  loss: Error | undefined;
}

/** No session is told from another: a node of the previous one is taken for one's own, and so is what was held under it. */
export function foreignNode(): void {
  ZkSession.prototype.owns = () => true;

  const protections = new WeakMap<object, string>();
  const entry = QueueEntry.prototype as unknown as EntryInternals;
  const enqueue = entry.enqueue;
  entry.enqueue = async function (this: EntryInternals) {
    const earlier = protections.get(this.ticket);
    protections.set(this.ticket, earlier ?? this.protection);
    this.protection = earlier ?? this.protection;
    if (earlier === undefined || (await this.findOwnAgain()) === undefined) await enqueue.call(this);
  };

  let latest = { isFresh: () => false };
  const session = ZkSession.prototype as unknown as SessionInternals;
  const restore = session.restore;
  session.restore = function (this: SessionInternals) {
    latest = this.lease;
    restore.call(this);
  };
  Hold.prototype.ended = () => undefined;
  Hold.prototype.leaseExpired = () => undefined;
  Hold.prototype.isHeld = function (this: Hold) {
    const { released, loss } = this as unknown as HoldInternals;
    return !released && loss === undefined && latest.isFresh();
  };
}
