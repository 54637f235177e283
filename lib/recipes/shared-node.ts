import { MAX_WATCH_BYTES } from '../session/watch-registry.js';
import type { ZkConnection } from '../session/zk-connection.js';
import type { SessionMember } from '../session/session-member.js';
import type { ZkSession } from '../session/zk-session.js';
import type { AttemptOver } from './attempt.js';
import { Callers, SharedAttempt, type Caller } from './callers.js';
import { Company } from './company.js';
import { MAX_GRANTS_PER_NODE } from './fencing-token.js';
import type { SharingLimits } from './handoff-options.js';
import { LingerMark } from './linger-mark.js';
import { Rest } from './rest.js';
import { QueueFailure, queueForTurn } from './lock-queue.js';
import { TurnLimit } from './turn-limit.js';
import type { GrantedNode, QueuePlace, QueueTicket } from './queue-ticket.js';

/** What a shared node tells the process's queue of its lock. */
export interface SharedNodeOwner {
  /** These callers need another node; it has to be opened at once, so that they keep their place. */
  moved(from: SharedNode, callers: readonly Caller[]): void;
  /** Nobody has it, and it is kept for a while. */
  rests(node: SharedNode): void;
  /** It rests no more. */
  wakes(node: SharedNode): void;
  /** It is over. */
  ended(node: SharedNode): void;
}

/**
 * One node of this process and the callers who share it: it stands in the lock's queue for all of them, and once it is
 * granted they pass it on without a request. It belongs to no one caller: whoever opened it may leave before the others.
 */
export class SharedNode implements SessionMember {
  private readonly callers = new Callers();
  private readonly attempt = new SharedAttempt(this.callers);
  private granted: GrantedNode | undefined;
  private company: Company | undefined;
  private mark: LingerMark | undefined;
  /** Number of the connection over which it was granted. */
  private connectionNumber = 0;
  private grants = 0;
  private readonly turn = new TurnLimit(() => this.serve());
  /** Who got it last. */
  private latest: { readonly ticket: QueueTicket; readonly since: number } | undefined;
  private holders = 0;
  /** No newcomers any more. */
  private closed = false;
  private gone: Promise<void> | undefined;
  private seen: { readonly place: QueuePlace; readonly session: ZkSession } | undefined;
  private readonly idle: Rest;

  constructor(
    private readonly connection: ZkConnection,
    private readonly ticket: QueueTicket,
    private readonly limits: SharingLimits,
    private readonly owner: SharedNodeOwner,
  ) {
    this.idle = new Rest(limits.lingerMs, () => this.close());
  }

  get isOpen(): boolean {
    return !this.closed;
  }

  /** Whether one more caller can be served. */
  accepts(): boolean {
    if (this.closed) return false;
    if (this.granted === undefined) return this.callers.size < this.limits.max; // others stand before it, or may
    return this.isTrusted() && this.granted.node.grants + this.callers.size < MAX_GRANTS_PER_NODE;
  }

  /** Called when another node takes the callers from now on. */
  giveUpIfUseless(): void {
    if (!this.isTrusted()) this.retire();
  }

  /** The caller is served in its turn, or moved to another node, or leaves. */
  join(caller: Caller): void {
    const isBehind = this.isBehindOthers();
    caller.node = this;
    this.callers.add(caller, this.company?.isAlone === false);
    if (isBehind && caller.attempt.immediate) caller.attempt.end('busy');
    else if (this.granted !== undefined) this.serve();
  }

  /** Those who came before the others go first. */
  joinFirst(callers: readonly Caller[]): void {
    for (const caller of callers) caller.node = this;
    this.callers.addFirst(callers);
    if (this.granted !== undefined) this.serve();
  }

  /** Called when a caller's attempt is over: nothing is asked of the server. */
  leave(caller: Caller, reason: AttemptOver): QueueFailure {
    const failure = new QueueFailure(
      reason,
      this.placeOf(caller, reason),
      this.granted?.node.session ?? this.seen?.session,
    );
    this.callers.delete(caller);
    if (this.callers.size === 0 && this.granted === undefined && !this.closed) {
      this.closed = true;
      this.attempt.end('aborted');
    }
    return failure;
  }

  /** Queues until the turn has come, then serves. */
  async start(): Promise<void> {
    try {
      this.granted = await queueForTurn(this.connection, this.ticket, this.attempt, (place, session) => {
        this.seen = { place, session };
      });
    } catch (error) {
      this.closed = true;
      this.owner.ended(this);
      for (const caller of this.callers.takeAll()) caller.reject(error as QueueFailure);
      return;
    }
    const { node } = this.granted;
    this.connectionNumber = node.session.connectionNumber;
    this.company = new Company(
      node,
      this.ticket,
      () => this.welcome(),
      () => this.close(),
    );
    node.listen(() => node.removed && this.retire());
    node.session.join(this);
    this.mark = new LingerMark(node, this.limits.lingerMs > 0);
    if (node.lingers) this.company.watch();
    this.serve();
  }

  /** Gives it up when nobody has it; else when the last one has given it back. Resolves when it is gone for certain. */
  async giveUpIdle(): Promise<void> {
    this.close();
    await this.gone;
  }

  /** What was written into it while nobody has it was meant for its last holder. */
  tick(): void {
    if (this.idle.isOn) void this.mark?.wasOverwritten().then((was) => was && this.idle.isOn && this.close());
  }

  leaseExpired(): void {
    this.retire();
  }

  ended(): void {
    this.retire();
  }

  /** What happened meanwhile is not known: it is not passed on any more. */
  restored(): void {
    this.retire();
  }

  private get areReaders(): boolean {
    return this.ticket.kind.sharing === 'readers';
  }

  /** True when a newcomer would have to wait for somebody. */
  private isBehindOthers(): boolean {
    if (this.granted === undefined) return this.callers.size > 0 || this.seen !== undefined;
    return !this.areReaders && this.callers.size + this.holders > 0;
  }

  /**
   * Hands it to whoever may have it now. A newcomer joins readers, or takes an idle node, only when it is known that nobody
   * waits outside; but what is given back is handed on at once.
   */
  private serve(): void {
    for (const caller of this.callers) {
      if (this.holders > 0 && !this.areReaders) break;
      if (this.callers.isNewcomer(caller) && (this.holders > 0 || this.idle.isOn)) break;
      if (!this.mayGrant()) {
        this.retire();
        return;
      }
      if (!this.turn.take()) break;
      this.hand(caller);
    }
    if (!this.closed && (this.callers.size > 0 || this.grants > 1)) this.company?.watch();
    if (this.holders === 0) this.rest();
  }

  private hand(caller: Caller): void {
    if (this.granted === undefined) return;
    const { node, zxid } = this.granted;
    this.wake();
    this.callers.delete(caller);
    this.latest = { ticket: caller.ticket, since: Date.now() };
    this.holders += 1;
    this.grants += 1;
    node.grants += 1;
    if (this.closed) this.tellInUse();
    caller.resolve({ node, zxid, number: node.grants, giveBack: this.takeBack });
  }

  private readonly takeBack = (): Promise<void> | undefined => {
    this.holders -= 1;
    this.serve();
    return this.gone;
  };

  private isTrusted(): boolean {
    return !this.idle.isOverdue && this.mayGrant();
  }

  private mayGrant(): boolean {
    const node = this.granted?.node;
    if (node === undefined || node.grants >= MAX_GRANTS_PER_NODE) return false;
    return node.session.canGrant && node.session.connectionNumber === this.connectionNumber && !node.removed;
  }

  /** Nobody waits behind it: whoever came meanwhile is served, too. */
  private welcome(): void {
    this.callers.welcome();
    this.serve();
  }

  /** Others wait behind it: those who are here already are served, as far as that is fair. */
  private close(): void {
    if (this.closed) return;
    this.closed = true;
    this.company?.stop();
    const tooMany = this.callers.takeBeyond(this.limits.max);
    if (tooMany.length > 0) this.owner.moved(this, tooMany);
    if (this.granted === undefined) return;
    if (this.holders === 0) this.rest();
    else this.tellInUse();
  }

  private tellInUse(): void {
    if (this.granted?.node.lingers === true) void this.mark?.remove(this.ticket.data());
  }

  /** It serves nobody any more; whoever has it keeps it, as far as it is still held. */
  private retire(): void {
    if (this.granted === undefined || this.gone !== undefined) return;
    this.closed = true;
    const callers = this.callers.takeAll();
    if (callers.length > 0) this.owner.moved(this, callers);
    if (this.holders === 0) this.giveUp();
    else this.tellInUse();
  }

  /** Nobody has it, nobody wants it. */
  private rest(): void {
    if (this.gone !== undefined || this.callers.size > 0) return;
    if (!this.mayRest()) {
      this.giveUp();
      return;
    }
    if (this.idle.isOn) return;
    this.idle.begin();
    this.owner.rests(this);
  }

  private mayRest(): boolean {
    const { granted } = this;
    if (granted === undefined || this.closed || this.limits.lingerMs === 0 || !this.mayGrant()) return false;
    return granted.node.session.watches.armedBytes < MAX_WATCH_BYTES / 2; // waiters need theirs more
  }

  private wake(): void {
    if (!this.idle.isOn) return;
    this.idle.end();
    this.owner.wakes(this);
  }

  private giveUp(): void {
    if (this.granted === undefined || this.gone !== undefined) return;
    this.closed = true;
    this.wake();
    this.idle.stop();
    this.company?.stop();
    const { node } = this.granted;
    node.session.leave(this);
    this.gone = node.delete();
    this.owner.ended(this);
  }

  private placeOf(caller: Caller, { end }: AttemptOver): QueuePlace | undefined {
    const before = this.callers.before(caller);
    if (this.granted !== undefined) {
      const holder = this.latest && { data: this.latest.ticket.data(), since: new Date(this.latest.since) };
      return { position: before + 2, length: this.callers.size + 1, first: this.granted.node.path, holder };
    }
    const { position, length, first } = this.seen?.place ?? { position: 1, length: 1, first: undefined };
    if (first === undefined && end !== 'busy') return undefined; // nobody has answered yet
    return { position: position + before, length: length + this.callers.size - 1, first };
  }
}
