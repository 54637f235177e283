import type { HandoffOptions } from './handoff-options.js';
import type { WhenUnreachable } from './local-fallback.js';

/** What a caller may say about one acquire. Durations are in ms. */
export interface AcquireOptions {
  /**
   * How long the whole call may wait for the lock, whatever happens meanwhile (expired sessions, reconnects).
   * 0 = one honest attempt. Default: the module's `waitMs` (20,000). At most 2,147,483,647.
   */
  waitMs?: number;
  /** What `waitMs: 0` may cost: time for the one attempt to be answered by ZooKeeper. Default: the module's (2,000). */
  attemptMs?: number;
  /** Gives up the wait when it aborts: the call rejects with `LockAbortedError`. It has no effect once the lock is held. */
  signal?: AbortSignal;
  /**
   * Whether `withLock` and decorated methods may enter the same lock again inside its own section. Default true.
   * False: such an entry waits like a stranger (and, inside its own section, until its deadline).
   */
  reentrant?: boolean;
  /**
   * Keeps the lock's node at least so long after the grant, although the call has returned: a job that is over in
   * 50 ms must not run again on a host whose clock is 100 ms behind. Default 0.
   */
  minHoldMs?: number;
  /**
   * How long the lock may be held. A warning is logged when three quarters of it have passed; at its end the lock counts
   * as lost (`LockLostError` with reason `max-hold`, `signal` aborts). Its node stays until the section really ends, so
   * that nobody enters beside a section that goes on. Default: no limit.
   */
  maxHoldMs?: number;
  /**
   * What to do while ZooKeeper is unreachable (no connection for `unreachableAfterMs`): `fail`, or `local`: run under a
   * lock that excludes ONLY callers of this process. Default: the module's (`fail`).
   */
  whenUnreachable?: WhenUnreachable;
  /**
   * How calls of this process that want the same mutex, read or write lock pass it on: in memory, behind one node, without
   * a request to ZooKeeper. False: a node of its own for this call, and strict order over all processes. Default: the
   * module's (`{ max: 100 }`).
   */
  handoff?: HandoffOptions | false;
  /**
   * How long the node is kept after the last release, so that the next call of this process gets the lock without a
   * request; it is given up as soon as anybody else wants the lock. Default: the module's (0). Mutexes, read and write
   * locks only.
   */
  lingerMs?: number;
  /** Anything JSON-serialisable, at most 8 KiB; shown by `contenders()` and in timeouts of others. */
  metadata?: Readonly<Record<string, unknown>>;
  /** What the lock is taken for, shown to whoever waits, for example `OrdersService.pay`. Default: none. */
  purpose?: string;
}
