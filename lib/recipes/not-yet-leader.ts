import { LockConnectionError } from '../errors/lock-connection.error.js';
import { LockTimeoutError } from '../errors/lock-timeout.error.js';
import type { Contender } from './contender.js';
import { within } from './within.js';

/** How long a failed call may be held up to learn who leads. */
const LOOK_MS = 250;

/** What is known when somebody has waited for leadership in vain. */
export interface VainWait {
  readonly key: string;
  readonly waitedMs: number;
  /** State of the connection. */
  readonly state: string;
  /** Whether the candidate is started or run. */
  readonly takesPart: boolean;
  readonly participants: () => Promise<Contender[]>;
}

/** The error of a wait for leadership that ended at its deadline. */
export async function notYetLeader({
  key,
  waitedMs,
  state,
  takesPart,
  participants,
}: VainWait): Promise<LockTimeoutError | LockConnectionError> {
  const goesOn = takesPart
    ? 'It goes on taking part.'
    : 'This candidate takes no part: neither start() nor run(fn) was called, or run(fn) has ended.';
  if (state !== 'connected') {
    return new LockConnectionError(
      `The leadership of "${key}" was not had within ${waitedMs} ms: the connection to ZooKeeper is ${state}. ${goesOn}`,
      { key },
    );
  }
  const nobody: Contender[] = [];
  const queue = await within(
    LOOK_MS,
    participants().catch(() => nobody),
    nobody,
  );
  const [leader] = queue;
  const holder =
    leader &&
    (leader.host === undefined ? `session ${leader.sessionId}` : `${leader.host} pid ${leader.pid}`);
  const who =
    leader === undefined
      ? ''
      : `, ${holder} leads since ${leader.since.toISOString()}; ${queue.length} take part`;
  return new LockTimeoutError(
    `The leadership of "${key}" was not had within ${waitedMs} ms${who}. ${goesOn}`,
    { key, waitedMs, queueLength: queue.length, holder },
  );
}
