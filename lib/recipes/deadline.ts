import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers'; // a test's fake global one would be left behind here, and never end

interface Wait {
  readonly endsAt: number;
  readonly onOver: () => void;
}

/**
 * The waits of one length: they end in the order in which they began, so one timer serves them all. Most are over long
 * before their time, and a timer of each would be set and cleared for nothing.
 */
class WaitsOfOneLength {
  private readonly waits = new Set<Wait>();
  private timer: NodeJS.Timeout;

  constructor(
    private readonly ms: number,
    private readonly onUnused: () => void,
  ) {
    this.timer = this.lookIn(ms);
  }

  add(onOver: () => void): () => void {
    const wait = { endsAt: performance.now() + this.ms, onOver };
    this.waits.add(wait);
    if (this.waits.size === 1) this.timer.ref();
    return () => {
      if (this.waits.delete(wait) && this.waits.size === 0) this.timer.unref();
    };
  }

  private lookIn(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.look(), Math.ceil(ms));
  }

  private look(): void {
    const now = performance.now();
    try {
      for (const wait of this.waits) {
        if (wait.endsAt > now) break;
        this.waits.delete(wait);
        wait.onOver();
      }
    } finally {
      const [first] = this.waits;
      if (first === undefined) this.onUnused();
      else this.timer = this.lookIn(first.endsAt - now);
    }
  }
}

const byLength = new Map<number, WaitsOfOneLength>();

/** Calls `onOver` once, after `ms`; the returned function takes that back. Node stays alive for it, as for a timer. */
export function deadline(ms: number, onOver: () => void): () => void {
  let waits = byLength.get(ms);
  if (waits === undefined) byLength.set(ms, (waits = new WaitsOfOneLength(ms, () => byLength.delete(ms))));
  return waits.add(onOver);
}
