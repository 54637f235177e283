import type { ZkAcl, ZkPermission } from './session/zk-client.js';
import type { HandoffOptions } from './recipes/handoff-options.js';
import type { WhenUnreachable } from './recipes/local-fallback.js';
import type { RetryPolicy } from './session/backoff.js';
import type { ZkServerAddress } from './session/connect-string.js';

/** Who a session is, for servers that demand to know. */
export interface ZkLockAuth {
  /** The only scheme that the client offers. */
  scheme: 'digest';
  /** `user:password`. Never printed in a log line or an error. */
  credentials: string;
}

/** One entry of an access control list. */
export interface ZkLockAclEntry {
  /** ZooKeeper's scheme, for example `world`, `auth`, `digest` or `ip`. */
  scheme: string;
  /** Whom it means in that scheme: `anyone` for `world`, `''` for `auth`, `user:hash` for `digest`. */
  id: string;
  /** What it may do. To take locks a session needs `read`, `create` and `delete`. */
  permissions: readonly ZkPermission[];
}

/** Options of one connection to ZooKeeper and of the locks on it. Durations are in ms. */
export interface ZkLockModuleOptions {
  /** Servers and chroot, `zk1:2181,zk2:2181/my-app`; the port defaults to 2181, the chroot is made when missing. Required. */
  connectString: string;
  /** How long the ensemble keeps the locks of a process that it does not hear of, in ms. 1,000 to 2,147,483,647; default 10,000. */
  sessionTimeoutMs?: number;
  /** Parent node of all locks, below the chroot. An absolute path that is not `/`; default `/locks`. */
  root?: string;
  /** Identity of the session. Default: none. */
  auth?: ZkLockAuth;
  /** Access to the root and the parents of locks: `open` to the world, only their `creator` (needs `auth`), or a list. Default: `creator` with `auth`, else `open`. */
  acl?: 'open' | 'creator' | readonly ZkLockAclEntry[];
  /** Whether the application start waits for ZooKeeper, and fails without it (`require`), or goes on at once (`background`). Default `require`. */
  startup?: 'require' | 'background';
  /** How long the start of the application waits for ZooKeeper with `startup: 'require'`, in ms. 1 to 2,147,483,647; default 10,000. */
  connectTimeoutMs?: number;
  /** How long an acquire waits when it does not say, in ms; longer than the session timeout, so that waiters outlive a killed holder. 0 (one honest attempt) to 2,147,483,647; default 20,000. */
  waitMs?: number;
  /** What one honest attempt (`waitMs: 0`) may cost, in ms. 1 to 2,147,483,647; default 2,000. */
  attemptMs?: number;
  /** How long a release waits for ZooKeeper's answer before it goes on in the background, in ms. 0 to 2,147,483,647; default 5,000. */
  releaseWaitMs?: number;
  /** How long waits in progress, and `@LeaderOnly` methods that run, may still go on at shutdown, in ms. 0 to 2,147,483,647; default 5,000. */
  shutdownGraceMs?: number;
  /** What acquires do while ZooKeeper is unreachable: `fail`, or `local`: hold in this process ONLY. Default `fail`. */
  whenUnreachable?: WhenUnreachable;
  /** For how long there must be no connection before locks with `whenUnreachable: 'local'` are degraded, in ms. 0 to 2,147,483,647; default 10,000. */
  unreachableAfterMs?: number;
  /** Pauses between tries after connection trouble, exponential with jitter, always within the deadline of the call. Default `{ initialMs: 50, maxMs: 5000, multiplier: 2 }`. */
  retry?: Partial<RetryPolicy>;
  /** How calls of this process that want the same mutex, read or write lock pass it on in memory, behind one node: `max` is how many calls one node may serve once others wait behind it, 1 to 4,095. `false`: a node for each call, and strict order over all processes. Default `{ max: 100 }`. */
  handoff?: HandoffOptions | false;
  /** How long the node of a mutex, read or write lock is kept after its last release, so that the next call of this process costs no request, in ms; it is given up as soon as anybody else wants the lock. 0 to 2,147,483,647; default 0. */
  lingerMs?: number;
  /** How many calls of this process may wait for one key; more are refused at once with `LockTimeoutError`. An integer from 1; default unlimited. */
  maxWaiting?: number;
}

/** What shapes the module itself; it stands beside the factory in `forRootAsync`, not in its result. */
export interface ZkLockModuleExtras {
  /** Whether locks can be injected, and methods decorated, in every module of the application. Default true. */
  isGlobal?: boolean;
  /** Name of this connection when there are several. Default: the default connection. */
  connectionName?: string;
}

/** @internal The options with their defaults, checked. */
export interface ResolvedZkLockOptions {
  readonly servers: readonly ZkServerAddress[];
  /** As the client wants them, without the chroot. */
  readonly hosts: string;
  readonly chroot: string;
  readonly sessionTimeoutMs: number;
  readonly root: string;
  readonly auth: Readonly<ZkLockAuth> | undefined;
  /** Undefined: open to the world. */
  readonly acl: readonly ZkAcl[] | undefined;
  readonly startup: 'require' | 'background';
  readonly connectTimeoutMs: number;
  readonly waitMs: number;
  readonly attemptMs: number;
  readonly releaseWaitMs: number;
  readonly shutdownGraceMs: number;
  readonly whenUnreachable: WhenUnreachable;
  readonly unreachableAfterMs: number;
  readonly retry: RetryPolicy;
  readonly handoff: HandoffOptions | false;
  readonly lingerMs: number;
  /** Infinity: unlimited. */
  readonly maxWaiting: number;
}
