import { setTimeout as sleep } from 'node:timers/promises';
import type { ZkConnection } from '../session/zk-connection.js';
import type { ZkSession } from '../session/zk-session.js';
import { ask } from './ask.js';
import type { Attempt } from './attempt.js';
import { childrenOf, readContenders } from './contender.js';
import { parseLockNode } from './lock-node.js';
import { usedAsAnotherKind, SEMAPHORE_FOLDERS } from './queue-rules.js';

/** How long somebody who gets his permits, or leaves without, stays at the door at most, as a rule. */
const MOMENT_MS = 50;

/** What somebody wants of a semaphore without waiting for it. */
export interface Wish {
  /** The semaphore's path. */
  readonly path: string;
  readonly wanted: number;
  /** How many permits there are. */
  readonly limit: (session: ZkSession) => Promise<number>;
}

/**
 * Ends the attempt of somebody who does not want to wait and is not the first at the door, once it is clear that the
 * permits are out: by those who hold them, or because the first one waits for some. Whoever just passes through the door
 * makes nobody look busy.
 */
export async function endIfPermitsAreOut(
  connection: ZkConnection,
  attempt: Attempt,
  { path, wanted, limit }: Wish,
): Promise<void> {
  let blockedBy: string | undefined;
  while (!attempt.isOver) {
    const first = blockedBy;
    const isOut = await ask(connection, attempt, async (session) => {
      const [leases, permits] = await Promise.all([childrenOf(session, `${path}/leases`), limit(session)]);
      blockedBy = undefined;
      if (leases.length + wanted <= permits) return false;
      const contenders = await readContenders(session, path);
      blockedBy = contenders.find(({ state }) => state === 'waiting')?.path;
      const out = contenders.filter(({ state }) => state === 'holding').length;
      return out + wanted > permits || (blockedBy !== undefined && blockedBy === first);
    });
    if (isOut) attempt.end('busy');
    else await attempt.race(sleep(MOMENT_MS, undefined, { ref: false }));
  }
}

/** @throws LockConfigError when the semaphore's path is used as another kind of lock, too. */
export async function refuseOtherKinds(session: ZkSession, path: string): Promise<void> {
  const other = (await childrenOf(session, path)).find((name) => parseLockNode(name) !== undefined);
  if (other !== undefined) throw usedAsAnotherKind(path, other, [...SEMAPHORE_FOLDERS]);
}
