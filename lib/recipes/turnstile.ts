import type { Cancellation } from '../session/cancellation.js';

/** Lets one through at a time, first come first served. The siblings inside one hold pass through it. */
export class Turnstile {
  private taken = false;
  private readonly queue: (() => void)[] = [];

  /** Resolves when it is the caller's turn; rejects with the reason of the cancellation, then nothing is taken. */
  enter(cancellation: Cancellation): Promise<void> {
    if (!this.taken) {
      this.taken = true;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const admit = (): void => {
        forget();
        resolve();
      };
      this.queue.push(admit);
      const forget = cancellation.onOver((reason) => {
        const at = this.queue.indexOf(admit);
        if (at === -1) return;
        this.queue.splice(at, 1);
        reject(reason);
      });
    });
  }

  /** Called by the one inside. */
  leave(): void {
    const next = this.queue.shift();
    if (next === undefined) this.taken = false;
    else next();
  }

  get waiting(): number {
    return this.queue.length;
  }

  get busy(): boolean {
    return this.taken;
  }
}
