import { AttemptOver } from './attempt.js';

/** Counts the calls of this process that want one lock and do not have it yet; sheds load when they are too many. */
export class WaitingRoom {
  private readonly waiting = new Map<string, number>();

  constructor(private readonly max: number) {}

  /** Runs `work`, which wants the lock of `path`.
   * @throws AttemptOver `refused` when too many wait already. */
  during<T>(path: string, work: () => Promise<T>): Promise<T> {
    if (this.max === Infinity) return work();
    const before = this.waiting.get(path) ?? 0;
    if (before >= this.max) return Promise.reject(new AttemptOver('refused'));
    this.waiting.set(path, before + 1);
    return work().finally(() => {
      const after = (this.waiting.get(path) ?? 1) - 1;
      if (after === 0) this.waiting.delete(path);
      else this.waiting.set(path, after);
    });
  }
}
