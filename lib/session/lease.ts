import { performance } from 'node:perf_hooks';

/** One moment on both clocks, in ms. */
export interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

export function now(): Moment {
  return { monotonic: performance.now(), wall: Date.now() };
}

/**
 * Time that passed since `start`, in ms: the larger of the two clocks' answers. The monotonic clock stands still while
 * a machine is suspended; the wall clock can be set back. The larger one errs towards "the lease is over".
 */
export function elapsedSince(start: Moment): number {
  return Math.max(performance.now() - start.monotonic, Date.now() - start.wall);
}

/**
 * Until when the ensemble certainly keeps the session alive.
 *
 * The leader expires a session of which it heard nothing for the negotiated timeout T. Only a request that passed
 * through the leader and was answered proves that it heard from us (a `sync` or a write; a follower that is cut off
 * goes on answering reads), and it proves it for the time before the request was sent. So the lease ends 2T/3 after
 * that time; the last third covers touches that reach the leader only with the next ping between the servers.
 */
export class Lease {
  private confirmed: Moment | undefined;
  private durationMs = 0;

  /** @param negotiatedTimeoutMs as agreed on at the latest connect. */
  setTimeout(negotiatedTimeoutMs: number): void {
    this.durationMs = (negotiatedTimeoutMs * 2) / 3;
  }

  /** A request handed to the client at `sentAt` was answered by way of the leader. */
  confirm(sentAt: Moment): void {
    // Ages are compared, not the moments, so that a step of the wall clock between two requests cannot revive a lease.
    if (this.confirmed === undefined || elapsedSince(sentAt) < elapsedSince(this.confirmed)) {
      this.confirmed = sentAt;
    }
  }

  /** ms until the lease ends; 0 or less when it is over or never began. */
  remainingMs(): number {
    return this.confirmed === undefined ? 0 : this.durationMs - elapsedSince(this.confirmed);
  }

  isFresh(): boolean {
    return this.remainingMs() > 0;
  }

  /** ms since the latest confirmation was sent; Infinity when there was none. */
  ageMs(): number {
    return this.confirmed === undefined ? Infinity : elapsedSince(this.confirmed);
  }
}
