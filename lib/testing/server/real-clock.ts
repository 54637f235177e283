import type { Clock } from './clock.js';

/** The machine's time. */
export class RealClock implements Clock {
  now(): number {
    return Date.now();
  }

  elapsed(): number {
    return Math.floor(performance.now());
  }

  at(elapsed: number, task: () => void): () => void {
    if (elapsed === Infinity) return () => undefined;
    // What keeps the process alive is the server's port.
    const timer = setTimeout(task, Math.max(0, elapsed - this.elapsed())).unref();
    return () => {
      clearTimeout(timer);
    };
  }
}
