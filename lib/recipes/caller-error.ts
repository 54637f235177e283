import { LockAbortedError } from '../errors/lock-aborted.error.js';
import { LockConfigError } from '../errors/lock-config.error.js';
import { LockConnectionError } from '../errors/lock-connection.error.js';
import { LockShutdownError } from '../errors/lock-shutdown.error.js';
import { LockTimeoutError } from '../errors/lock-timeout.error.js';
import type { ZkSession } from '../session/zk-session.js';
import type { ZkConnection } from '../session/zk-connection.js';
import { AttemptOver, type Attempt } from './attempt.js';
import { readContender, whoWrote, type FoundContender } from './contender.js';
import type { QueueFailure } from './lock-queue.js';
import { parseLockNode } from './lock-node.js';
import type { QueuePlace } from './queue-ticket.js';
import { publicError } from './public-error.js';
import { heldBySelf, type WantedLock } from './wanted-lock.js';
import { within } from './within.js';

/** What is known around a failed call. */
export interface FailureContext {
  readonly connection: ZkConnection;
  /** The instance of this connection, to tell whether the holder is this very process. */
  readonly instance: string;
  /** The reason of the caller's signal. */
  readonly reason: unknown;
}

/** How long a failed call may be held up to learn who holds the lock. */
const LOOK_MS = 250;

/** What the caller is told when a call ended without the lock. */
export async function callerError(
  failure: QueueFailure,
  key: string,
  attempt: Attempt,
  context: FailureContext,
): Promise<unknown> {
  const { cause, key: one = key } = failure;
  if (!(cause instanceof AttemptOver)) return withKey(publicError(cause, one), one);
  const { waitedMs, wanted } = attempt;
  switch (cause.end) {
    case 'aborted':
      return new LockAbortedError(
        `The wait for the lock "${key}" was cancelled by its signal after ${waitedMs} ms.`,
        {
          key,
          cause: context.reason,
        },
      );
    case 'shutdown':
      return new LockShutdownError(
        `The application is shutting down: the wait for the lock "${key}" ended after ${waitedMs} ms.`,
        { key },
      );
    case 'refused':
      return new LockTimeoutError(
        `The lock "${key}" was not waited for: as many calls of this process as maxWaiting allows wait for it already.`,
        { key, waitedMs, cause },
      );
    case 'busy':
    case 'deadline':
    case 'unreachable':
    case 'lost':
      return busyOrUnreachable(failure, key, waitedMs, wanted, context);
  }
}

async function busyOrUnreachable(
  { cause, place, session, key: one }: QueueFailure,
  key: string,
  waitedMs: number,
  wanted: WantedLock | undefined,
  { connection, instance }: FailureContext,
): Promise<unknown> {
  const at = one === undefined || one === key ? '' : ` at its key "${one}"`;
  if (place === 'inside-own-hold') {
    return new LockTimeoutError(
      `The lock "${key}" is held by the caller itself, but another branch inside that hold had it for ${waitedMs} ms${at}: ` +
        'branches of one hold (Promise.all) exclude each other.',
      { key, waitedMs, cause },
    );
  }
  if (place === 'degraded') {
    return new LockTimeoutError(
      `The lock "${key}" was busy in this process for ${waitedMs} ms${at}; ZooKeeper is unreachable and locks are degraded.`,
      { key, waitedMs, cause },
    );
  }
  const { state, server, sinceMs } = connection.info();
  const isKnown = session?.state === 'connected' || (cause instanceof AttemptOver && cause.end === 'busy');
  if (!isKnown || place === undefined) {
    return new LockConnectionError(
      `ZooKeeper at ${server} could not be asked for the lock "${key}" within ${waitedMs} ms ` +
        `(the connection has been ${state} for ${sinceMs} ms). Nothing is known about who holds it.`,
      { key, cause },
    );
  }
  const { position, length, first } = place;
  const [found, obstacle] = session === undefined ? [] : await lookAround(session, place, wanted);
  const about = { key, waitedMs, position, queueLength: length, cause };
  const inQueue = `place ${position} of ${length} in the queue.`;
  if (obstacle !== undefined) {
    return new LockTimeoutError(
      `The lock "${key}" could not be had for ${waitedMs} ms${at}, since ${obstacle}; ${inQueue}`,
      about,
    );
  }
  const purpose = found?.purpose === undefined ? '' : ` (${found.purpose})`;
  const holder = found?.host === undefined ? undefined : `${found.host} pid ${found.pid}${purpose}`;
  const who =
    found === undefined
      ? ''
      : `, held by ${holder ?? `session ${found.sessionId}`} since ${found.since.toISOString()}`;
  const self =
    found?.instance === instance && wanted !== undefined && first !== undefined
      ? ` ${heldBySelf(wanted, parseLockNode(first)?.mark)}`
      : '';
  return new LockTimeoutError(`The lock "${key}" was busy for ${waitedMs} ms${at}${who}; ${inQueue}${self}`, {
    ...about,
    holder,
  });
}

/** Who holds it, and what else may be in the way; empty when that cannot be learnt quickly. */
async function lookAround(
  session: ZkSession,
  place: QueuePlace,
  wanted: WantedLock | undefined,
): Promise<[FoundContender?, string?]> {
  const looking = Promise.all([whoHolds(session, place), wanted?.obstacle?.(session)]);
  return within(
    LOOK_MS,
    looking.catch((): [] => []),
    [],
  );
}

/** Asks ZooKeeper only when it is not known in this process. */
async function whoHolds(session: ZkSession, { first, holder }: QueuePlace): ReturnType<typeof readContender> {
  if (holder !== undefined) {
    return { ...whoWrote(holder.data), since: holder.since, sessionId: session.id };
  }
  return first === undefined ? undefined : readContender(session, first).catch(() => undefined);
}

/** A misuse that was found in ZooKeeper names the key, too, not only the path. */
function withKey(error: unknown, key: string): unknown {
  if (!(error instanceof LockConfigError) || error.key !== undefined) return error;
  return new LockConfigError(`The lock "${key}": ${error.message}`, { key, cause: error.cause });
}
