import { performance } from 'node:perf_hooks';
import { LockLostError, type LockLossReason } from '../errors/lock-lost.error.js';
import { onAbort } from '../session/on-abort.js';
import type { AnyHold, HoldTarget } from './any-hold.js';
import { currentScope, HoldScope } from './lock-context.js';
import type { ReleaseRequest } from './release-request.js';

/**
 * One term of leadership: a granted node that several sections may work under, side by side. The node goes when the
 * last of them has ended, so that nobody else leads beside a section that goes on.
 */
export class Leadership implements AnyHold {
  readonly degraded = false;
  private readonly startedAt = performance.now();
  private readonly controller = new AbortController();
  private ownLoss: LockLostError | undefined;
  private users = 1;
  /** Resolves when the last user has released it. */
  readonly ended: Promise<void>;
  private end: () => void = () => undefined;

  /** Begins with one user. */
  constructor(private readonly hold: AnyHold) {
    this.ended = new Promise((resolve) => (this.end = resolve));
    onAbort(hold.signal, () => this.controller.abort(hold.lossError));
  }

  get target(): HoldTarget {
    return this.hold.target;
  }

  get acquiredAt(): Date {
    return this.hold.acquiredAt;
  }

  get fencingToken(): bigint {
    return this.hold.fencingToken;
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get lossError(): LockLostError | undefined {
    return this.ownLoss ?? this.hold.lossError;
  }

  isHeld(): boolean {
    return this.hold.isHeld() && this.ownLoss === undefined;
  }

  async verify(): Promise<boolean> {
    return this.isHeld() && (await this.hold.verify()) && this.isHeld();
  }

  onReleaseRequested(listener: (request: ReleaseRequest) => void): () => void {
    return this.hold.onReleaseRequested(listener);
  }

  handOut(): void {
    this.hold.handOut();
  }

  /** One more section, with this term as its lock. */
  enter(): HoldScope {
    this.users += 1;
    return new HoldScope(this, currentScope());
  }

  /** Ends the term although its node is still there: for its sections it is lost. */
  stepDown(reason: LockLossReason, why: string): void {
    if (!this.isHeld()) return;
    const { key, path } = this.target;
    const ledMs = Math.round(performance.now() - this.startedAt);
    this.ownLoss = new LockLostError(
      `The leadership of "${key}" (${path}) ended after ${ledMs} ms: ${why}. ` +
        'Nobody else leads until what runs under it has ended, as long as the session lives.',
      { key, reason },
    );
    this.controller.abort(this.ownLoss);
  }

  /** A user that abandons its scope releases, too: the term goes on with the others. */
  abandon(): void {
    return;
  }

  /** Called once by each user. */
  async release(): Promise<void> {
    this.users -= 1;
    if (this.users > 0) return;
    this.end();
    await this.hold.release();
  }
}
