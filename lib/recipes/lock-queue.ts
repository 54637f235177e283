import { LockSequenceError } from '../errors/lock-sequence.error.js';
import { isZkOperationError, ZkCode } from '../errors/zk-operation.error.js';
import type { ZkConnection } from '../session/zk-connection.js';
import type { ZkSession } from '../session/zk-session.js';
import type { Attempt } from './attempt.js';
import { OwnNodeRemoved, QueueEntry } from './queue-entry.js';
import type { GrantedNode, QueuePlace, QueueTicket } from './queue-ticket.js';

/** How a queueing without success ended, with what was seen of the queue. */
export class QueueFailure extends Error {
  constructor(
    override readonly cause: unknown,
    /** Where the waiter stood; or it waited for a branch of its own hold, or in degraded operation for this process. */
    readonly place?: QueuePlace | 'inside-own-hold' | 'degraded',
    readonly session?: ZkSession,
    /** Which key of several it was. */
    readonly key?: string,
  ) {
    super('not granted', { cause });
  }
}

/** The same failure, with the key that it is about. */
export function failureOf(key: string, error: unknown): QueueFailure {
  if (!(error instanceof QueueFailure)) return new QueueFailure(error, undefined, undefined, key);
  return new QueueFailure(error.cause, error.place, error.session, key);
}

/**
 * Queues until the turn has come, over as many sessions as it takes, within the one attempt.
 * @throws QueueFailure with the reason; every node that was made is deleted, in the background if need be.
 */
export async function queueForTurn(
  connection: ZkConnection,
  ticket: QueueTicket,
  attempt: Attempt,
  /** Told where the contender stands, and in which session, whenever it has looked and has to wait. */
  onPlace: (place: QueuePlace, session: ZkSession) => void = () => undefined,
): Promise<GrantedNode> {
  let place: QueuePlace | undefined;
  let session: ZkSession | undefined;
  try {
    for (;;) {
      const current = await connection.ready(attempt);
      session = current;
      const entry = new QueueEntry(session, ticket, attempt, (now) => onPlace(now, current));
      try {
        return await entry.enter();
      } catch (error) {
        place = entry.place;
        if (attempt.isOver) throw error;
        const again =
          session.isOver ||
          error instanceof OwnNodeRemoved ||
          (error instanceof LockSequenceError &&
            (await startCounterAgain(session, entry, ticket.path, attempt)));
        if (!again) throw error;
      }
    }
  } catch (error) {
    throw new QueueFailure(error, place, session);
  }
}

/** The counter of a parent starts at 0 again once the parent has been deleted. False while it still has children. */
async function startCounterAgain(
  session: ZkSession,
  entry: QueueEntry,
  path: string,
  attempt: Attempt,
): Promise<boolean> {
  await attempt.race(entry.leave());
  try {
    await attempt.race(session.delete(path));
  } catch (error) {
    if (!isZkOperationError(error, ZkCode.noNode)) return false;
  }
  session.parents.forget(path);
  return true;
}
