/** The time a server lives in. Two of them: `real-clock.ts`, `virtual-clock.ts`. */
export interface Clock {
  /** Wall clock in ms since 1970: what stats and logs show. */
  now(): number;
  /** Whole ms on a clock that never goes back: what timeouts are measured by. */
  elapsed(): number;
  /** Runs the task once, at this time of `elapsed()` or soon after; at Infinity never. Hands back what cancels it. */
  at(elapsed: number, task: () => void): () => void;
}
