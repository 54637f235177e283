import { elapsedSince, now, type Moment } from '../session/lease.js';

/** The time for which a node is kept although nobody has it. One timer serves many rests: it looks whether the last one is over. */
export class Rest {
  private since: Moment | undefined;
  private timer: NodeJS.Timeout | undefined;

  /** @param onOver called when a rest has lasted for `ms`. */
  constructor(
    private readonly ms: number,
    private readonly onOver: () => void,
  ) {}

  get isOn(): boolean {
    return this.since !== undefined;
  }

  /** Timers come late when the event loop lags: the clocks tell. */
  get isOverdue(): boolean {
    return this.since !== undefined && elapsedSince(this.since) > this.ms;
  }

  begin(): void {
    this.since = now();
    this.timer ??= this.lookIn(this.ms);
  }

  end(): void {
    this.since = undefined;
  }

  stop(): void {
    this.end();
    clearTimeout(this.timer);
  }

  private lookIn(ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.timer = undefined;
      if (this.since === undefined) return;
      const left = this.ms - elapsedSince(this.since);
      if (left > 0) this.timer = this.lookIn(left);
      else this.onOver();
    }, Math.ceil(ms)).unref();
  }
}
