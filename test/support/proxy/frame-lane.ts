import type { Socket } from 'node:net';

interface QueuedFrame {
  frame: Buffer;
  /** The frame, and all behind it, wait for this. */
  until: Promise<unknown> | undefined;
  sent: (() => void) | undefined;
}

const HIGH_WATER_BYTES = 1 << 20;

export interface FrameLaneOptions {
  /** Where the frames come from; paused while too much waits here. */
  source: () => Socket | undefined;
  /** Where they go; asked for when a frame may leave. Without a target frames are dropped. */
  target: () => Socket | undefined;
  /** False while nothing may pass. */
  isOpen: () => boolean;
}

/** One direction of a connection: frames leave in the order in which they came, as fast as the target takes them. */
export class FrameLane {
  private queue: QueuedFrame[] = [];
  private queuedBytes = 0;
  private waiting = false;
  private ended = false;

  constructor(private readonly options: FrameLaneOptions) {}

  push(
    frame: Buffer,
    { until, sent }: { until?: Promise<unknown> | undefined; sent?: () => void } = {},
  ): void {
    this.queue.push({ frame, until, sent });
    this.queuedBytes += frame.length;
    if (this.queuedBytes > HIGH_WATER_BYTES) this.options.source()?.pause();
    this.flush();
  }

  /** Sends a frame past those that are held back (not past a closed lane). */
  overtake(frame: Buffer): void {
    if (this.options.isOpen()) this.options.target()?.write(frame);
    else this.push(frame);
  }

  /** No more frames come: the target is ended behind the last one. */
  end(): void {
    this.ended = true;
    this.flush();
  }

  /** Drops everything that has not left. */
  clear(): void {
    this.queue = [];
    this.queuedBytes = 0;
    this.options.source()?.resume();
  }

  flush(): void {
    while (!this.waiting && this.options.isOpen()) {
      const next = this.queue[0];
      if (!next) {
        if (this.ended) this.options.target()?.end();
        return;
      }
      if (next.until) {
        const until = next.until;
        next.until = undefined;
        this.wait((go) => void until.finally(go));
      } else {
        this.send(next);
      }
    }
  }

  private send({ frame, sent }: QueuedFrame): void {
    this.queue.shift();
    this.queuedBytes -= frame.length;
    if (this.queuedBytes <= HIGH_WATER_BYTES) this.options.source()?.resume();
    const target = this.options.target();
    if (target?.write(frame) === false) this.wait((go) => target.once('drain', go));
    sent?.();
  }

  private wait(start: (go: () => void) => void): void {
    this.waiting = true;
    start(() => {
      this.waiting = false;
      this.flush();
    });
  }
}
