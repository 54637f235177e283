import { performance } from 'node:perf_hooks';
import type { Cancellation } from '../session/cancellation.js';
import { onAbort } from '../session/on-abort.js';
import { deadline } from './deadline.js';
import { unlessOver } from './unless-over.js';
import type { WantedLock } from './wanted-lock.js';

/**
 * Why an attempt ended without the lock. `busy`: a `waitMs: 0` found somebody else; `refused`: too many calls of this
 * process wait already. Only parts of an attempt end by `unreachable` (degraded operation has begun) or `lost`
 * (something that was taken before): the whole goes on.
 */
export type AttemptEnd = 'deadline' | 'busy' | 'refused' | 'aborted' | 'shutdown' | 'unreachable' | 'lost';

/** Ends every wait of an attempt; it stays inside the library. */
export class AttemptOver extends Error {
  constructor(readonly end: AttemptEnd) {
    super(`attempt over: ${end}`);
  }
}

/** One call that wants a lock: one deadline from its start to its end, and the caller's signal. */
export class Attempt implements Cancellation {
  /** What it waits for at this moment. */
  wanted: WantedLock | undefined;
  private readonly startedAt = performance.now();
  private listeners: Set<(reason: AttemptOver) => void> | undefined; // made when somebody listens
  private readonly forgetDeadline: (() => void) | undefined;
  private readonly forgetSignal: (() => void) | undefined;
  private over: AttemptOver | undefined;

  /** @param limitMs how long it may last; undefined for a part of another attempt, which ends it. */
  constructor(
    private readonly isImmediate: boolean,
    limitMs: number | undefined,
    signal?: AbortSignal,
  ) {
    if (limitMs !== undefined) this.forgetDeadline = deadline(limitMs, () => this.end('deadline'));
    this.forgetSignal = signal && onAbort(signal, () => this.end('aborted'));
  }

  /** True when the caller does not want to wait for others (`waitMs: 0`). */
  get immediate(): boolean {
    return this.isImmediate;
  }

  /** Runs a part of the attempt that can be ended for itself, and that may be patient where the whole is not. */
  async part<T>(work: (part: Attempt) => Promise<T>, immediate = this.immediate): Promise<T> {
    const part = new Attempt(immediate, undefined);
    const forget = this.onOver(({ end }) => part.end(end));
    try {
      return await work(part);
    } finally {
      this.wanted = part.wanted ?? this.wanted;
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
    const listeners = (this.listeners ??= new Set());
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /** Settles like `work`, or rejects when the attempt is over first; `work` then goes on unheard. */
  race<T>(work: Promise<T>): Promise<T> {
    return unlessOver(work, (_resolve, reject) => this.onOver(reject));
  }

  /** Ends all its waits; the first end counts. */
  end(end: AttemptEnd): void {
    if (this.over !== undefined) return;
    this.over = new AttemptOver(end);
    this.finish();
    const listeners = [...(this.listeners ?? [])];
    this.listeners?.clear();
    for (const listener of listeners) listener(this.over);
  }

  /** The call has its answer: nothing is left behind on timers and signals. */
  finish(): void {
    this.forgetDeadline?.();
    this.forgetSignal?.();
  }
}
