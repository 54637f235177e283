import { LockLostError, type LockLossReason } from '../errors/lock-lost.error.js';
import { elapsedSince, now, type Moment } from '../session/lease.js';
import { onAbort } from '../session/on-abort.js';
import type { SessionMember } from '../session/session-member.js';
import type { AnyHold, HoldTarget } from './any-hold.js';
import { checkTokenBase, fencingToken } from './fencing-token.js';
import type { Grant } from './queue-ticket.js';
import { readReleaseRequest, type ReleaseRequest } from './release-request.js';
import { within } from './within.js';

export interface HoldOptions {
  readonly minHoldMs: number;
  readonly maxHoldMs: number | undefined;
  /** What the node shall hold: written back when somebody overwrote it, or when an earlier holder's record is there. */
  readonly record: (lingers: boolean) => Buffer;
  /** Called when it is given back. */
  readonly onEnd: () => void;
}

/** What a hold tells to whoever knows all holds. */
export interface HoldObserver {
  readonly releaseWaitMs: number;
  /** Nothing is left of it: the node is gone for certain (or the session is), or it is somebody else's. */
  gone(hold: Hold): void;
  /** Called once when the lock was lost. */
  lost(error: LockLostError): void;
  /** Somebody asks it to let go. */
  releaseRequested(listeners: ReadonlySet<(request: ReleaseRequest) => void>, request: ReleaseRequest): void;
  slowRelease(hold: Hold): void;
  /** Three quarters of `maxHoldMs` have passed. */
  longHold(hold: Hold): void;
}

const WHY: Record<LockLossReason, string> = {
  'lease-expired': 'the ensemble did not answer for two thirds of the session timeout',
  'session-lost': 'the ZooKeeper session is over',
  'node-removed': 'its node was removed by somebody else',
  'max-hold': 'it was held for longer than maxHoldMs',
  shutdown: 'the application shut down before it was released',
};

const CONSEQUENCE = (reason: LockLossReason): string =>
  reason === 'max-hold'
    ? 'Nobody else gets it until its section has really ended.'
    : 'Somebody else may hold it now; what was done under it since is not protected.';

const DONE = Promise.resolve();

/** One grant of a node: whether it is still held, and its end. The entries that share it are handles (lock-handle.ts). */
export class Hold implements AnyHold, SessionMember {
  readonly degraded = false;
  private readonly grantedAt = now();
  private handedOutAt: Moment | undefined;
  private readonly forgetNode: () => void;
  // Made when somebody asks: most holds are short, and nobody does.
  private controller: AbortController | undefined;
  private section: { readonly end: Promise<void>; readonly reach: () => void } | undefined;
  private requestListeners: Set<(request: ReleaseRequest) => void> | undefined;
  private loss: LockLostError | undefined;
  private released = false;
  /** Given back, but the node stays for the rest of `minHoldMs`. */
  private stays = false;
  private gone: Promise<void> | undefined;
  private goNow: () => void = () => undefined;
  private holdTimer: NodeJS.Timeout | undefined;
  /** What the node held when its request to let go was heeded. */
  private heeded: Buffer | undefined;

  constructor(
    readonly target: HoldTarget,
    private readonly granted: Grant,
    private readonly options: HoldOptions,
    private readonly observer: HoldObserver,
  ) {
    checkTokenBase(granted.zxid);
    this.forgetNode = granted.node.listen(() => this.nodeEvent());
    granted.node.session.join(this);
    if (granted.node.session.isOver) this.lose('session-lost');
    if (granted.node.removed) this.lose('node-removed');
  }

  handOut(): void {
    this.handedOutAt = now();
    if (this.loss !== undefined) this.observer.lost(this.loss);
    if (this.options.maxHoldMs !== undefined) this.limit(this.options.maxHoldMs);
  }

  get fencingToken(): bigint {
    return fencingToken(this.granted.zxid, this.granted.number);
  }

  get maxHoldMs(): number | undefined {
    return this.options.maxHoldMs;
  }

  get acquiredAt(): Date {
    return new Date(this.grantedAt.wall);
  }

  get signal(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = new AbortController();
      if (this.loss !== undefined) this.controller.abort(this.loss);
    }
    return this.controller.signal;
  }

  /** Resolves when the owner gives the lock back, lost or not. */
  get sectionEnd(): Promise<void> {
    if (this.released) return Promise.resolve();
    if (this.section === undefined) {
      let reach: () => void = () => undefined;
      this.section = { end: new Promise((resolve) => (reach = resolve)), reach };
    }
    return this.section.end;
  }

  /** While it is being given back: resolves when nothing is left of it for certain. */
  get going(): Promise<void> | undefined {
    return this.gone;
  }

  /** Why it was lost, if it was. */
  get lossError(): LockLostError | undefined {
    return this.loss;
  }

  /** Compares clocks, so that it is right before any event was delivered. Once false, always false. */
  isHeld(): boolean {
    if (this.released || this.loss !== undefined) return false;
    const { session } = this.granted.node;
    if (session.isOver) this.lose('session-lost');
    else if (!session.lease.isFresh()) this.lose('lease-expired');
    else if (this.heldMs() >= (this.options.maxHoldMs ?? Infinity)) this.lose('max-hold');
    return this.lossError === undefined;
  }

  /** Asks the ensemble. Rejects when there was no answer and the lock is not lost yet. */
  async verify(): Promise<boolean> {
    if (!this.isHeld()) return false;
    const { node } = this.granted;
    const ask = async (): Promise<void> => {
      await node.session.sync();
      await node.read();
    };
    let lost: () => void = () => undefined;
    const loss = new Promise<void>((resolve) => (lost = resolve));
    const forget = onAbort(this.signal, lost);
    try {
      await Promise.race([ask(), loss]);
    } catch (error) {
      if (this.isHeld()) throw error;
    } finally {
      forget();
    }
    return this.isHeld();
  }

  lose(reason: LockLossReason): void {
    if (this.loss !== undefined || this.released) return;
    const { key, path } = this.target;
    this.loss = new LockLostError(
      `The lock "${key}" (${path}) was lost after ${Math.round(this.heldMs())} ms: ${WHY[reason]}. ${CONSEQUENCE(reason)}`,
      { key, reason },
    );
    this.controller?.abort(this.loss);
    if (this.handedOutAt !== undefined) this.observer.lost(this.loss);
  }

  onReleaseRequested(listener: (request: ReleaseRequest) => void): () => void {
    const listeners = (this.requestListeners ??= new Set());
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /**
   * Gives the node back, not before `minHoldMs` are over. Resolves at the latest after `releaseWaitMs` (of a
   * lost lock at once); the node is deleted in any case. Never rejects.
   */
  release(): Promise<void> {
    const mayStay = this.loss === undefined && this.remainingMinHoldMs() > 0;
    this.giveBack(mayStay);
    // A lost lock is nobody's to wait for; and somebody of this process may have it already.
    if (this.stays || this.loss !== undefined || this.gone === undefined) return DONE;
    return this.untilGone(this.gone);
  }

  abandon(): void {
    this.giveBack(false);
  }

  /** Resolves when the node is gone for certain; cuts `minHoldMs` short. */
  async goneNow(): Promise<void> {
    this.goNow();
    await this.gone;
  }

  leaseExpired(): void {
    this.lose('lease-expired');
  }

  ended(): void {
    this.lose('session-lost');
    this.goNow();
  }

  restored(): void {
    this.look();
  }

  /** The own node of a hold that lasts is watched, too, and tells of this holder; nobody ever waits for that. */
  tick(): void {
    if (this.granted.node.isWatched) this.heed();
    else this.look();
  }

  private giveBack(mayStay: boolean): void {
    if (this.released) return;
    this.released = true;
    clearTimeout(this.holdTimer);
    this.section?.reach();
    if (mayStay) this.gone = this.stay().then(() => this.end());
    else this.gone = this.end();
  }

  private limit(maxHoldMs: number): void {
    const warned = (maxHoldMs * 3) / 4;
    this.holdTimer = setTimeout(() => {
      this.observer.longHold(this);
      this.holdTimer = setTimeout(() => this.lose('max-hold'), maxHoldMs - warned).unref();
    }, warned).unref();
  }

  private async untilGone(gone: Promise<void>): Promise<void> {
    if ((await within(this.observer.releaseWaitMs, gone, 'slow')) === 'slow') this.observer.slowRelease(this);
  }

  private remainingMinHoldMs(): number {
    return this.options.minHoldMs === 0 ? 0 : this.options.minHoldMs - this.heldMs();
  }

  /** By its caller. */
  private heldMs(): number {
    return this.handedOutAt === undefined ? 0 : elapsedSince(this.handedOutAt);
  }

  private nodeEvent(): void {
    if (this.granted.node.removed) this.lose('node-removed');
    else this.look(); // an event uses the watch up
  }

  private look(): void {
    // No answer says nothing; the lease decides.
    this.granted.node.look().then(
      () => this.heed(),
      () => undefined,
    );
  }

  /** Tells of a request to let go, once, and puts the own record back (Curator's Revoker overwrites all of it). */
  private heed(): void {
    const { node } = this.granted;
    if (node.data === undefined || this.released) return;
    const request = readReleaseRequest(node.data);
    if (request !== undefined && this.heeded !== node.data) {
      this.heeded = node.data;
      if (this.requestListeners !== undefined) {
        this.observer.releaseRequested(this.requestListeners, request);
      }
    }
    // The node may tell of an earlier holder still. Readers share one, which tells of the first.
    if (request !== undefined || this.target.mode !== 'read') node.replace(this.options.record(node.lingers));
  }

  /** Waits for the rest of `minHoldMs`. */
  private async stay(): Promise<void> {
    this.stays = true;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.remainingMinHoldMs());
      this.goNow = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.stays = false;
  }

  /** The node is somebody else's now, or it is deleted: then it resolves when it is gone for certain. */
  private end(): Promise<void> | undefined {
    this.forgetNode();
    this.granted.node.session.leave(this);
    const gone = this.granted.giveBack();
    this.options.onEnd();
    if (gone === undefined) this.observer.gone(this);
    return gone?.then(() => this.observer.gone(this));
  }
}
