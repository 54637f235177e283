import { tellAll, type LockLogger } from '../session/lock-logger.js';
import type { ZkConnection } from '../session/zk-connection.js';
import type { HoldTarget } from './any-hold.js';
import type { Attempt } from './attempt.js';
import { LocalHold } from './local-hold.js';
import { Turnstile } from './turnstile.js';

/** What to do when ZooKeeper is unreachable: fail, or run under a lock of this process only. */
export type WhenUnreachable = 'fail' | 'local';

/** The way into degraded operation (`active`) or back. */
export interface FallbackChange {
  readonly active: boolean;
  readonly at: Date;
}

/**
 * Locks of this process for the time in which ZooKeeper is unreachable. A circuit breaker decides when: it opens when
 * there has been no connection for `afterMs`, and closes with the next one (the connection's own tries are the probes).
 */
export class LocalFallback {
  private open = false;
  private timer: NodeJS.Timeout | undefined; // runs while there is no connection
  private holds = 0;
  private readonly doors = new Map<string, Turnstile>();
  private readonly listeners = new Set<(change: FallbackChange) => void>();

  constructor(
    connection: ZkConnection,
    private readonly afterMs: number,
    private readonly logger: LockLogger,
  ) {
    connection.on('state', ({ event }) => {
      if (event === 'connected' || event === 'restored') this.close();
      else if (event === 'closed') clearTimeout(this.timer);
      else this.openIn(this.afterMs);
    });
    const { state, sinceMs } = connection.info();
    if (state !== 'connected') this.openIn(this.afterMs - sinceMs);
  }

  /** True while the circuit is open: locks are degraded. */
  get isActive(): boolean {
    return this.open;
  }

  /** How many degraded locks are held. */
  get held(): number {
    return this.holds;
  }

  onChange(listener: (change: FallbackChange) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Waits for those of this process who came first. Undefined when ZooKeeper came back meanwhile.
   * @throws the reason of the attempt's end. */
  async grant(
    target: HoldTarget,
    attempt: Attempt,
    /** What else has to end first. */
    ready: () => Promise<void>,
  ): Promise<LocalHold | undefined> {
    const { path } = target;
    let door = this.doors.get(path);
    if (door === undefined) this.doors.set(path, (door = new Turnstile()));
    const turnstile = door;
    if (attempt.immediate && turnstile.busy) attempt.end('busy');
    await turnstile.enter(attempt);
    const leave = (): void => this.leaveDoor(path, turnstile);
    try {
      await ready();
      if (this.open) {
        this.holds += 1;
        return new LocalHold(target, () => {
          this.holds -= 1;
          leave();
        });
      }
    } catch (error) {
      leave();
      throw error;
    }
    leave();
    return undefined;
  }

  /** Resolves when no degraded lock of this path is held any more: the way back does not overtake them. */
  async drained(path: string, attempt: Attempt): Promise<void> {
    const door = this.doors.get(path);
    if (door === undefined) return;
    await door.enter(attempt);
    this.leaveDoor(path, door);
  }

  private leaveDoor(path: string, door: Turnstile): void {
    door.leave();
    if (!door.busy) this.doors.delete(path);
  }

  private openIn(ms: number): void {
    if (this.open || this.timer !== undefined) return;
    this.timer = setTimeout(() => {
      this.change(true);
      this.logger.error(
        `ZooKeeper has been unreachable for ${this.afterMs} ms: locks with whenUnreachable 'local' now hold in this process only.`,
      );
    }, ms).unref();
  }

  private close(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (!this.open) return;
    this.change(false);
    this.logger.warn('ZooKeeper is back: locks hold in the whole fleet again.');
  }

  private change(active: boolean): void {
    this.open = active;
    tellAll(this.listeners, (listener) => listener({ active, at: new Date() }), this.logger);
  }
}
