/** How tries after connection trouble are spaced. In ms. */
export interface RetryPolicy {
  /** Longest pause before the first try. Default 50. */
  readonly initialMs: number;
  /** Longest pause of all. Default 5,000. */
  readonly maxMs: number;
  /** By how much the longest pause grows with every failure. Default 2. */
  readonly multiplier: number;
}

export const DEFAULT_RETRY: RetryPolicy = { initialMs: 50, maxMs: 5_000, multiplier: 2 };

/**
 * Exponential back-off with full jitter: each pause is anything from 0 to a limit that grows with the failures
 * (M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015).
 */
export class Backoff {
  private failures = 0;

  constructor(private readonly policy: RetryPolicy) {}

  /** Counts a failure, and gives the pause before the next try, in ms. */
  nextMs(): number {
    const { initialMs, maxMs, multiplier } = this.policy;
    const longest = Math.min(initialMs * multiplier ** this.failures, maxMs);
    this.failures += 1;
    return Math.random() * longest;
  }

  /** True after the first failure since the start or the last success. */
  get hasFailed(): boolean {
    return this.failures > 0;
  }

  succeeded(): void {
    this.failures = 0;
  }
}
