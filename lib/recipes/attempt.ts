import { performance } from 'node:perf_hooks';
import type { Cancellation } from '../session/cancellation.js';
import { onAbort } from '../session/on-abort.js';

/**
 * Why an attempt ended without the lock. `busy`: a `waitMs: 0` found somebody else. Only parts of an attempt end by
 * `unreachable` (degraded operation has begun) or `lost` (something that was taken before): the whole goes on.
 */
export type AttemptEnd = 'deadline' | 'busy' | 'aborted' | 'shutdown' | 'unreachable' | 'lost';

/** Ends every wait of an attempt; it stays inside the library. */
export class AttemptOver extends Error {
  constructor(readonly end: AttemptEnd) {
    super(`attempt over: ${end}`);
  }
}

/** One call that wants a lock: one deadline from its start to its end, and the caller's signal. */
export class Attempt implements Cancellation {
  /** True when the caller does not want to wait for others (`waitMs: 0`). */
  readonly immediate: boolean;
  private readonly startedAt = performance.now();
  private readonly listeners = new Set<(reason: AttemptOver) => void>();
  private readonly timer: NodeJS.Timeout | undefined;
  private readonly forgetSignal: (() => void) | undefined;
  private over: AttemptOver | undefined;

  /** @param limitMs how long it may last; undefined for a part of another attempt, which ends it. */
  constructor(immediate: boolean, limitMs: number | undefined, signal?: AbortSignal) {
    this.immediate = immediate;
    if (limitMs !== undefined) this.timer = setTimeout(() => this.end('deadline'), limitMs);
    this.forgetSignal = signal && onAbort(signal, () => this.end('aborted'));
  }

  /** Runs a part of the attempt that can be ended for itself, and that may be patient where the whole is not. */
  async part<T>(work: (part: Attempt) => Promise<T>, immediate = this.immediate): Promise<T> {
    const part = new Attempt(immediate, undefined);
    const forget = this.onOver(({ end }) => part.end(end));
    try {
      return await work(part);
    } finally {
      forget();
    }
  }

  get waitedMs(): number {
    return Math.round(performance.now() - this.startedAt);
  }

  /** How it ended, if it did. */
  get ending(): AttemptEnd | undefined {
    return this.over?.end;
  }

  get isOver(): boolean {
    return this.over !== undefined;
  }

  throwIfOver(): void {
    if (this.over !== undefined) throw this.over;
  }

  onOver(listener: (reason: AttemptOver) => void): () => void {
    if (this.over !== undefined) {
      listener(this.over);
      return () => undefined;
    }
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Settles like `work`, or rejects when the attempt is over first; `work` then goes on unheard. */
  race<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const forget = this.onOver(reject);
      work.then(resolve, reject).finally(forget);
    });
  }

  /** Ends all its waits; the first end counts. */
  end(end: AttemptEnd): void {
    if (this.over !== undefined) return;
    this.over = new AttemptOver(end);
    this.finish();
    const listeners = [...this.listeners];
    this.listeners.clear();
    for (const listener of listeners) listener(this.over);
  }

  /** The call has its answer: nothing is left behind on timers and signals. */
  finish(): void {
    clearTimeout(this.timer);
    this.forgetSignal?.();
  }
}
