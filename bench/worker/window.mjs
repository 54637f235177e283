import { now, snapshot } from './clock.mjs';

/** The time that is measured: from the first cycle that ends after the warm-up to the last one before the end. */
export class Window {
  /** Cycles that ended in the window. */
  n = 0;
  from;
  to;

  constructor({ seconds, warmup, max }) {
    this.begin = now() + warmup * 1_000;
    this.end = this.begin + seconds * 1_000;
    this.max = max;
  }

  isOver() {
    return this.n >= this.max || now() >= this.end;
  }

  /** Told of the end of each cycle: whether it counts. */
  counts() {
    if (this.to !== undefined) return false;
    if (this.from === undefined) {
      if (now() >= this.begin) this.from = snapshot();
      return false;
    }
    this.n += 1;
    if (this.isOver()) this.to = snapshot();
    return true;
  }

  close() {
    this.from ??= snapshot();
    this.to ??= snapshot();
    return this;
  }
}
