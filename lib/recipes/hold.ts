import { LockLostError, type LockLossReason } from '../errors/lock-lost.error.js';
import { elapsedSince, now, type Moment } from '../session/lease.js';
import { onAbort } from '../session/on-abort.js';
import type { SessionMember } from '../session/zk-session.js';
import type { AnyHold, HoldTarget } from './any-hold.js';
import { fencingToken } from './fencing-token.js';
import type { GrantedNode } from './queue-ticket.js';
import { readReleaseRequest, type ReleaseRequest } from './release-request.js';
import { within } from './within.js';

export interface HoldOptions {
  /** What the node holds: written back when somebody overwrote it. */
  readonly data: Buffer;
  readonly releaseWaitMs: number;
  readonly minHoldMs: number;
  readonly maxHoldMs: number | undefined;
  /** Called once the node is gone for certain (or the session is). */
  readonly onGone: (hold: Hold) => void;
  /** Called once when the lock was lost. */
  readonly onLost: (hold: Hold, error: LockLostError) => void;
  /** Tells of a request to let go, to each of the listeners. */
  readonly onReleaseRequested: (
    listeners: ReadonlySet<(request: ReleaseRequest) => void>,
    request: ReleaseRequest,
  ) => void;
  readonly onSlowRelease: (hold: Hold) => void;
  /** Called when three quarters of `maxHoldMs` have passed. */
  readonly onLongHold: (hold: Hold) => void;
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

/** One granted node: whether it is still held, and its end. The entries that share it are handles (lock-handle.ts). */
export class Hold implements AnyHold, SessionMember {
  readonly degraded = false;
  readonly acquiredAt = new Date();
  readonly fencingToken: bigint;
  /** Resolves when the owner gives the lock back, lost or not. */
  readonly sectionEnd: Promise<void>;
  private handedOutAt: Moment | undefined;
  private readonly controller = new AbortController();
  private loss: LockLostError | undefined;
  private released = false;
  /** Given back, but the node stays for the rest of `minHoldMs`. */
  private lingers = false;
  private gone: Promise<void> | undefined;
  private goNow: () => void = () => undefined;
  private readonly requestListeners = new Set<(request: ReleaseRequest) => void>();
  private holdTimer: NodeJS.Timeout | undefined;
  private endSection!: () => void;

  constructor(
    readonly target: HoldTarget,
    private readonly granted: GrantedNode,
    private readonly options: HoldOptions,
  ) {
    this.fencingToken = fencingToken(granted.zxid, 1);
    this.sectionEnd = new Promise((resolve) => (this.endSection = resolve));
    granted.node.onEvent = () => this.nodeEvent();
    granted.node.session.join(this);
    if (granted.node.session.isOver) this.lose('session-lost');
    if (granted.node.removed) this.lose('node-removed');
  }

  handOut(): void {
    this.handedOutAt = now();
    if (this.loss !== undefined) this.options.onLost(this, this.loss);
    if (this.options.maxHoldMs !== undefined) this.limit(this.options.maxHoldMs);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** While the node is being given back: resolves when it is gone for certain. */
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
      await node.look();
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
    this.controller.abort(this.loss);
    if (this.handedOutAt !== undefined) this.options.onLost(this, this.loss);
  }

  onReleaseRequested(listener: (request: ReleaseRequest) => void): () => void {
    this.requestListeners.add(listener);
    return () => this.requestListeners.delete(listener);
  }

  /**
   * Gives the node back, not before `minHoldMs` are over. Resolves at the latest after `releaseWaitMs` (of a
   * lost lock at once); the node is deleted in any case. Never rejects.
   */
  async release(): Promise<void> {
    const mayLinger = this.loss === undefined && this.remainingMinHoldMs() > 0;
    this.giveBack(mayLinger);
    if (this.lingers || this.loss !== undefined) return; // a lost lock is nobody's to wait for
    const gone = Promise.resolve(this.gone); // set by giveBack()
    if ((await within(this.options.releaseWaitMs, gone, 'slow')) === 'slow') this.options.onSlowRelease(this);
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

  /** The own node of a hold that lasts is watched, too; nobody ever waits for that. */
  tick(): void {
    if (!this.granted.node.isWatched) this.look();
  }

  private giveBack(mayLinger: boolean): void {
    this.released = true;
    clearTimeout(this.holdTimer);
    this.endSection();
    if (this.gone !== undefined) return;
    this.lingers = mayLinger;
    this.gone = this.deleteNode();
  }

  private limit(maxHoldMs: number): void {
    const warned = (maxHoldMs * 3) / 4;
    this.holdTimer = setTimeout(() => {
      this.options.onLongHold(this);
      this.holdTimer = setTimeout(() => this.lose('max-hold'), maxHoldMs - warned).unref();
    }, warned).unref();
  }

  private remainingMinHoldMs(): number {
    return this.options.minHoldMs - this.heldMs();
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
      () => this.heedRequest(),
      () => undefined,
    );
  }

  /** Tells of a request to let go, once, and puts the own record back (Curator's Revoker overwrites all of it). */
  private heedRequest(): void {
    const { node } = this.granted;
    const request = node.data && readReleaseRequest(node.data);
    if (request === undefined || this.released) return;
    node.session.set(node.path, this.options.data, -1).catch(() => undefined); // seen again at the next look
    this.options.onReleaseRequested(this.requestListeners, request);
  }

  private async deleteNode(): Promise<void> {
    const { node } = this.granted;
    if (this.lingers) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, this.remainingMinHoldMs());
        this.goNow = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.lingers = false;
    node.session.leave(this);
    await node.delete();
    this.options.onGone(this);
  }
}
