import { inspect } from 'node:util';
import type { RequestHead } from './zk-wire.js';

/** One request as the proxy saw it. Times are `performance.now()` of this process. */
export interface RequestRecord extends RequestHead {
  /** Number of the connection, counted from 1. */
  connection: number;
  /** When the request arrived at the proxy. */
  at: number;
  /** Its place among all requests and answers that the proxy has passed on. */
  order: number;
  /** The server's answer; undefined until it came. `deliveredOrder` is undefined until it has gone on to the client. */
  answer?: { err: number; zxid: bigint; at: number; deliveredOrder?: number };
}

export interface RequestMatch {
  op?: RequestHead['op'];
  /** The node's path, or a pattern for it. */
  path?: string | RegExp;
  watch?: boolean;
}

/**
 * What happens to a request that a rule matches. Frames keep their order, so whatever follows a delayed or held frame in the
 * same direction waits behind it; only pings overtake.
 * - `pass`: nothing; the rule counts
 * - `cut-before`: the connection is cut, the server never sees the request
 * - `cut-after-answer`: the client gets the answer, then the connection is cut
 * - `drop-answer-and-cut`: the server has done it, the client does not learn of it
 * - `drop-answer`: only this answer is left out; the C client calls the next one out of order and closes the connection
 * - `hold-request`, `hold-answer`: until `rule.release()`; the connection stays up, as pings go on
 */
export type FaultAction =
  | 'pass'
  | 'cut-before'
  | 'cut-after-answer'
  | 'drop-answer-and-cut'
  | 'drop-answer'
  | 'hold-request'
  | 'hold-answer'
  | { delayMs: number }
  | { delayRequestMs: number };

/** A fault that the tests can count and wait for. */
export class FaultRule {
  private left: number;
  private readonly seen: RequestRecord[] = [];
  private readonly waiters: { count: number; resolve: (record: RequestRecord) => void }[] = [];
  private free!: () => void;
  /** Settled by `release()`. */
  readonly released = new Promise<void>((resolve) => (this.free = resolve));

  constructor(
    readonly match: RequestMatch & { times?: number },
    readonly action: FaultAction,
  ) {
    this.left = match.times ?? 1;
  }

  /** How often the fault has happened. */
  get hits(): number {
    return this.seen.length;
  }

  /**
   * Waits until the fault has happened `count` times, and hands back the request. A rule about the request counts when the
   * request arrives, one about the answer (`pass` too) when the answer has come from the server.
   */
  hit(count = 1, timeoutMs = 15_000): Promise<RequestRecord> {
    const record = this.seen[count - 1];
    if (record) return Promise.resolve(record);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        const what = `${inspect(this.action)} on ${inspect(this.match)}`;
        reject(new Error(`Waited ${timeoutMs} ms in vain for hit ${count} of ${what}: ${this.hits} so far.`));
      }, timeoutMs);
      this.waiters.push({
        count,
        resolve: (seen) => {
          clearTimeout(timer);
          resolve(seen);
        },
      });
    });
  }

  /** Lets go what `hold-request` or `hold-answer` holds, and holds no more. */
  release(): void {
    this.left = 0;
    this.free();
  }

  /** Takes the request if it matches and the rule is not used up. */
  take(request: RequestHead): boolean {
    if (this.left === 0 || !matches(request, this.match)) return false;
    this.left--;
    return true;
  }

  happened(record: RequestRecord): void {
    this.seen.push(record);
    for (const waiter of this.waiters) if (waiter.count === this.seen.length) waiter.resolve(record);
  }
}

export function matches(request: RequestHead, { op, path, watch }: RequestMatch): boolean {
  if (op !== undefined && op !== request.op) return false;
  if (watch !== undefined && watch !== request.watch) return false;
  if (path === undefined) return true;
  return typeof path === 'string'
    ? path === request.path
    : request.path !== undefined && path.test(request.path);
}
