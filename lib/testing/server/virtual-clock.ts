import type { Clock } from './clock.js';

interface Task {
  readonly at: number;
  readonly run: () => void;
}

/** A time that stands still until it is advanced. Begins at the machine's time. No timers run. */
export class VirtualClock implements Clock {
  private readonly startedAt = Date.now();
  private sinceStart = 0;
  /** In the order in which they were asked for. */
  private readonly tasks = new Set<Task>();

  now(): number {
    return this.startedAt + this.sinceStart;
  }

  elapsed(): number {
    return this.sinceStart;
  }

  at(elapsed: number, run: () => void): () => void {
    const task = { at: elapsed, run };
    this.tasks.add(task);
    return () => {
      this.tasks.delete(task);
    };
  }

  /** Runs what is due on the way, each task at its own time, also what those tasks ask for. */
  advance(ms: number): void {
    const end = this.sinceStart + ms;
    for (let next = this.nextUntil(end); next !== undefined; next = this.nextUntil(end)) {
      this.tasks.delete(next);
      this.sinceStart = Math.max(this.sinceStart, next.at);
      next.run();
    }
    this.sinceStart = end;
  }

  private nextUntil(end: number): Task | undefined {
    let next: Task | undefined;
    for (const task of this.tasks) {
      if (task.at <= end && (next === undefined || task.at < next.at)) next = task;
    }
    return next;
  }
}
