import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isLockConnectionError } from '../../../lib/errors/lock-connection.error.js';
import { isLockLostError } from '../../../lib/errors/lock-lost.error.js';
import { isZkLockError } from '../../../lib/errors/zk-lock.error.js';
import { LockService } from '../../../lib/locking/lock.service.js';
import type { HeldLock } from '../../../lib/recipes/held-lock.js';
import { LockManager } from '../../../lib/recipes/lock-manager.js';
import type { LockRecipe } from '../../../lib/recipes/lock-recipe.js';
import type { PermitOptions } from '../../../lib/recipes/semaphore.js';
import { ZkConnection } from '../../../lib/session/zk-connection.js';
import { EACH_ITS_NODE } from '../../support/lock-client.js';
import type { ChaosKey } from '../keys.js';
import type { Random } from '../random.js';
import { HistoryWriter, microseconds } from '../history-writer.js';
import { watchDeadline } from './deadline-watch.js';
import { FencedRegister } from './fenced-register.js';
import { LeaseRecorder, type RecordedLease } from './lease-recorder.js';
import type { OperationPlan } from './operation-plan.js';

export interface ChaosClientOptions {
  /** Name of the process in the log. */
  name: string;
  hosts: string;
  sessionTimeoutMs: number;
  keys: readonly ChaosKey[];
  /** Where the log and the register are. */
  folder: string;
}

const ATTEMPT_MS = 2_000;
const RELEASE_WAIT_MS = 2_000;
/** Often another caller of the process comes within that time, and often one of another process. */
const LINGER_MS = 50;

/** What the steps of one operation share. */
interface Operation {
  op: string;
  key: string;
  plan: OperationPlan;
}

/** One client of the library that does operations and logs everything that it sees. */
export class ChaosClient {
  readonly log: HistoryWriter;
  private readonly leases = new LeaseRecorder();
  private readonly register: FencedRegister;
  private readonly connection: ZkConnection;
  private readonly locks: LockService;
  private count = 0;

  constructor(
    { name, hosts, sessionTimeoutMs, keys, folder }: ChaosClientOptions,
    private readonly random: Random,
  ) {
    this.log = new HistoryWriter(folder, name);
    this.register = new FencedRegister(
      join(folder, 'register.sqlite'),
      keys.map((key) => key.name),
    );
    const say = (text: string): void => this.log.record({ kind: 'said', text });
    const logger = { debug: () => undefined, log: () => undefined, warn: say, error: say };
    this.connection = new ZkConnection(
      { hosts, chroot: '', root: '/locks', sessionTimeoutMs },
      logger,
      this.leases.open,
    );
    const defaults = {
      waitMs: 10_000,
      attemptMs: ATTEMPT_MS,
      releaseWaitMs: RELEASE_WAIT_MS,
      lingerMs: LINGER_MS,
    };
    this.locks = new LockService(new LockManager(this.connection, defaults, logger));
    this.connection.start();
  }

  /** Does one operation; settles when it is over, whatever came of it. */
  async run(plan: OperationPlan): Promise<void> {
    const { key, style, waitMs, final } = plan;
    const operation = { op: `${this.log.process}:${(this.count += 1)}`, key, plan };
    const { op } = operation;
    const controller = new AbortController();
    const cancelled = (): void => {
      this.log.record({ kind: 'cancel', op, key });
      controller.abort();
    };
    const timer = plan.cancelAfterMs === undefined ? undefined : setTimeout(cancelled, plan.cancelAfterMs);
    const options = {
      ...wantedPermits(plan),
      waitMs,
      signal: controller.signal,
      purpose: op,
      ...(plan.ownNode && EACH_ITS_NODE),
    };
    const recipe = this.recipeFor(plan);
    const outcome = { granted: false };
    const section = async (lock: HeldLock): Promise<void> => {
      outcome.granted = true;
      clearTimeout(timer);
      await this.section(operation, lock);
    };
    this.log.record({ kind: 'invoke', op, key, limitMs: waitMs === 0 ? ATTEMPT_MS : waitMs, final });
    try {
      if (style === 'withLock') {
        await recipe.withLock(section, options);
      } else {
        const lock = await (style === 'acquire' ? recipe.acquire(options) : recipe.tryAcquire(options));
        if (lock === null) throw Object.assign(new Error('busy'), { code: 'ZK_LOCK_TIMEOUT' });
        await section(lock);
        await lock.release();
      }
    } catch (error) {
      if (outcome.granted && !isLockLostError(error)) throw error; // a fault of this very code
      if (!outcome.granted) this.failed(operation, error);
    } finally {
      clearTimeout(timer);
    }
    if (outcome.granted) this.log.record({ kind: 'released', op, key });
  }

  /** Gives the session back. */
  async close(): Promise<void> {
    await this.connection.close(RELEASE_WAIT_MS);
    this.register.close();
    this.log.record({ kind: 'closed', of: this.log.process });
  }

  private recipeFor({ key, share }: OperationPlan): LockRecipe {
    switch (share.mode) {
      case 'exclusive':
        return this.locks.mutex(key);
      case 'permit':
        return this.locks.semaphore(key, share.limit);
      default:
        return this.locks.readWriteLock(key)[share.mode];
    }
  }

  private async section(operation: Operation, lock: HeldLock): Promise<void> {
    const { op, key, plan } = operation;
    const { log } = this;
    const lease = this.leases.current;
    const token = String(lock.fencingToken);
    log.record({ kind: 'granted', op, key, ...plan.share, token, session: lease.session });
    lock.signal.addEventListener('abort', () => {
      const reason: unknown = lock.signal.reason;
      log.record({ kind: 'lost', op, key, reason: isLockLostError(reason) ? reason.reason : String(reason) });
    });
    const unwatch = watchDeadline({ op, key, signal: lock.signal }, lease, log);
    try {
      await this.steps(operation, lock, lease);
    } finally {
      unwatch();
    }
    log.record({ kind: 'release', op, key, limitMs: RELEASE_WAIT_MS });
  }

  private async steps(operation: Operation, lock: HeldLock, lease: RecordedLease): Promise<void> {
    const { plan } = operation;
    const end = microseconds() + plan.sectionMs * 1_000;
    for (let step = 0; step === 0 || microseconds() < end; step += 1) {
      const held = this.check(operation, lock, lease);
      if (this.random.chance(plan.writes) && (held || plan.careless)) this.write(operation, lock);
      await this.extras(operation, lock, lease, step);
      await sleep(plan.stepMs);
    }
    this.check(operation, lock, lease);
  }

  /** The time is taken before the question: what is held after it was held then. */
  private check({ op, key }: Operation, lock: HeldLock, lease: RecordedLease): boolean {
    const at = microseconds();
    const held = lock.isHeld();
    const { aborted } = lock.signal;
    this.log.record({ kind: 'held-check', op, key, held, deadline: lease.deadline, aborted }, at);
    return held;
  }

  private write({ op, key }: Operation, { fencingToken }: HeldLock): void {
    const counter = this.register.write(key, fencingToken);
    this.log.record({ kind: 'write', op, key, token: String(fencingToken), counter });
  }

  private async extras(
    operation: Operation,
    lock: HeldLock,
    lease: RecordedLease,
    step: number,
  ): Promise<void> {
    const { plan, op, key } = operation;
    if (step === 0 && plan.blockMs !== undefined) {
      const end = microseconds() + plan.blockMs * 1_000;
      while (microseconds() < end);
      this.check(operation, lock, lease);
    }
    if (plan.reads) await Promise.race([this.look(key), sleep(100)]);
    if (step === 1 && plan.verifies) {
      const at = microseconds();
      const verdict = await lock.verify().catch(unlessUnreachable);
      if (verdict === undefined) return;
      const { aborted } = lock.signal;
      this.log.record({ kind: 'held-check', op, key, held: verdict, deadline: lease.deadline, aborted }, at);
    }
  }

  private async look(key: string): Promise<void> {
    await this.locks.contenders(key).catch(unlessUnreachable);
  }

  private failed({ op, key }: Operation, error: unknown): void {
    const code = isZkLockError(error) ? error.code : (error as { code?: string }).code;
    this.log.record({ kind: 'error', op, key, code, message: (error as Error).message });
  }
}

function wantedPermits({ share }: OperationPlan): PermitOptions {
  return share.mode === 'permit' ? { permits: share.permits } : {};
}

function unlessUnreachable(error: unknown): undefined {
  if (!isLockConnectionError(error)) throw error;
}
