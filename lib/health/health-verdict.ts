import type { LockStats } from '../recipes/lock-manager.js';
import type { ConnectionInfo, ConnectionState } from '../session/zk-connection.js';

/** Why a connection is not `up`. */
export type ZkLockHealthCode =
  | 'ZK_LOCK_CONNECTING'
  | 'ZK_LOCK_SUSPENDED'
  | 'ZK_LOCK_SESSION_LOST'
  | 'ZK_LOCK_SLOW'
  | 'ZK_LOCK_NO_ANSWER'
  | 'ZK_LOCK_DEGRADED'
  | 'ZK_LOCK_CLOSED';

export interface ZkLockHealthVerdict {
  readonly status: 'up' | 'degraded' | 'down';
  readonly code?: ZkLockHealthCode;
  readonly message?: string;
}

/** What stands beside `status`, `code` and `message` in the result of a health check. */
export interface ZkLockHealthDetails {
  readonly state: ConnectionState;
  /** `0x…`; missing before the first connect. */
  readonly sessionId?: string;
  /** What the server granted of `sessionTimeoutMs`; missing before the first connect. */
  readonly negotiatedTimeoutMs?: number;
  /** The servers of the connect string. */
  readonly server: string;
  /** Time that ZooKeeper took to answer; missing when it did not, and in `liveness`. */
  readonly roundTripMs?: number;
  readonly held: number;
  readonly waiting: number;
  /** Deletes of lock nodes that ZooKeeper has not confirmed yet. */
  readonly pendingDeletes: number;
}

const UP: ZkLockHealthVerdict = { status: 'up' };
const DEGRADED: ZkLockHealthVerdict = {
  status: 'degraded',
  code: 'ZK_LOCK_DEGRADED',
  message: 'ZooKeeper is unreachable and locks hold in this process only',
};
const CLOSED: ZkLockHealthVerdict = {
  status: 'down',
  code: 'ZK_LOCK_CLOSED',
  message: 'the connection was closed and does not come back',
};

export function healthDetails(
  info: ConnectionInfo,
  { held, waiting }: LockStats,
  roundTripMs?: number,
): ZkLockHealthDetails {
  const { state, sessionId, negotiatedTimeoutMs, server, pendingDeletes } = info;
  return {
    state,
    ...(sessionId !== undefined && { sessionId, negotiatedTimeoutMs }),
    server,
    ...(roundTripMs !== undefined && { roundTripMs: Math.round(roundTripMs * 10) / 10 }),
    held,
    waiting,
    pendingDeletes,
  };
}

export function livenessOf(info: ConnectionInfo): ZkLockHealthVerdict {
  return info.state === 'closed' ? CLOSED : UP;
}

/** @param roundTripMs undefined when ZooKeeper did not answer within `timeoutMs`. */
export function readinessOf(
  { state, sinceMs, negotiatedTimeoutMs = 0 }: ConnectionInfo,
  roundTripMs: number | undefined,
  timeoutMs: number,
  /** Whether the user asked for locks of this process, and they are in force. */
  degraded = false,
): ZkLockHealthVerdict {
  if (state === 'closed') return CLOSED;
  if (degraded) return DEGRADED;
  if (roundTripMs !== undefined) {
    if (roundTripMs <= timeoutMs / 2) return UP;
    return {
      status: 'degraded',
      code: 'ZK_LOCK_SLOW',
      message: `ZooKeeper took ${Math.round(roundTripMs)} ms to answer`,
    };
  }
  const since = `for ${sinceMs} ms`;
  switch (state) {
    case 'suspended': {
      // Locks are held until two thirds of the session timeout have passed without an answer.
      const status = sinceMs < (negotiatedTimeoutMs * 2) / 3 ? 'degraded' : 'down';
      return { status, code: 'ZK_LOCK_SUSPENDED', message: `the connection is broken ${since}` };
    }
    case 'connecting':
      return { status: 'down', code: 'ZK_LOCK_CONNECTING', message: `no session with ZooKeeper ${since}` };
    case 'lost':
      return { status: 'down', code: 'ZK_LOCK_SESSION_LOST', message: `the session is over ${since}` };
    case 'connected':
      return {
        status: 'down',
        code: 'ZK_LOCK_NO_ANSWER',
        message: `ZooKeeper did not answer within ${timeoutMs} ms`,
      };
  }
}
