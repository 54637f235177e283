import { tellAll, type LockLogger } from '../session/lock-logger.js';
import type { ZkConnection } from '../session/zk-connection.js';
import type { HoldTarget } from './any-hold.js';
import type { Attempt } from './attempt.js';
import { LocalHold } from './local-hold.js';
import { LocalQueue } from './local-queue.js';
import { LockFamilies, type LockFamily } from './lock-families.js';
import type { LockMark } from './lock-node.js';
import { exclusive, type QueueRule } from './queue-rules.js';

/** What to do when ZooKeeper is unreachable: fail, or run under a lock of this process only. */
export type WhenUnreachable = 'fail' | 'local';

/** How one kind of lock queues, as far as it matters in one process. */
interface LocalKind {
  readonly family: LockFamily;
  readonly mark: LockMark;
  readonly rule: QueueRule;
}

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
  private readonly queues = new Map<string, LocalQueue>();
  private readonly families = new LockFamilies();
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
    kind: LocalKind,
    attempt: Attempt,
    /** What else has to end first. */
    ready: () => Promise<void>,
  ): Promise<LocalHold | undefined> {
    const { path, home = path, key } = target;
    this.families.enter(home, kind.family, key);
    let leave: () => void = () => undefined;
    const end = (): void => {
      leave();
      this.families.leave(home);
      this.forgetIfEmpty(path);
    };
    try {
      const queue = this.queueOf(path);
      if (attempt.immediate && !queue.admits(kind)) attempt.end('busy'); // enter() then rejects
      leave = await queue.enter(kind, attempt);
      await ready();
      if (this.open) {
        this.holds += 1;
        return new LocalHold(target, () => {
          this.holds -= 1;
          end();
        });
      }
    } catch (error) {
      end();
      throw error;
    }
    end();
    return undefined;
  }

  /** Resolves when no degraded lock of this path is held any more: the way back does not overtake them. */
  async drained(path: string, attempt: Attempt): Promise<void> {
    const queue = this.queues.get(path);
    if (queue === undefined) return;
    const leave = await queue.enter({ mark: 'lock-', rule: exclusive }, attempt);
    leave();
    this.forgetIfEmpty(path);
  }

  private queueOf(path: string): LocalQueue {
    const queue = this.queues.get(path) ?? new LocalQueue();
    this.queues.set(path, queue);
    return queue;
  }

  private forgetIfEmpty(path: string): void {
    if (this.queues.get(path)?.isEmpty === true) this.queues.delete(path);
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
