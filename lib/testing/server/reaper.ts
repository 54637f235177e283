import type { Clock } from './clock.js';

/** Looks for empty containers and outlived TTL nodes at a fixed rate. As ZooKeeper's ContainerManager. */
export class Reaper {
  private nextAt: number;
  private cancelWait: (() => void) | undefined;

  /** @param interval in ms. */
  constructor(
    private readonly clock: Clock,
    private readonly interval: number,
    private readonly reap: () => void,
  ) {
    this.nextAt = clock.elapsed() + interval;
  }

  start(): void {
    this.cancelWait = this.clock.at(this.nextAt, () => {
      this.nextAt += this.interval;
      this.start();
      this.reap();
    });
  }

  stop(): void {
    this.cancelWait?.();
  }
}
