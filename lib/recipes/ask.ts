import { isOutcomeUnknown } from '../errors/zk-operation.error.js';
import type { ZkConnection } from '../session/zk-connection.js';
import type { ZkSession } from '../session/zk-session.js';
import type { Attempt } from './attempt.js';

/**
 * Asks ZooKeeper something that may be asked twice: once more over the next connection when one breaks under it, for as
 * long as the attempt lasts.
 */
export async function ask<T>(
  connection: ZkConnection,
  attempt: Attempt,
  question: (session: ZkSession) => Promise<T>,
): Promise<T> {
  for (;;) {
    const session = await connection.ready(attempt);
    try {
      return await attempt.race(question(session));
    } catch (error) {
      if (!isOutcomeUnknown(error)) throw error;
    }
  }
}
