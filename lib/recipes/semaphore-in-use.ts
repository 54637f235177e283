import type { ZkSession } from '../session/zk-session.js';
import { childrenOf } from './contender.js';
import { parseLockNode } from './lock-node.js';
import { semaphoreFolders, usedAsAnotherKind } from './queue-rules.js';
import type { QueueTicket } from './queue-ticket.js';

/**
 * Looks whether somebody uses the semaphore whose folders are among `children`: they stay for a while after its last
 * use. Asks nothing when there are none.
 * @throws LockConfigError when somebody does.
 */
export async function refuseSemaphoreInUse(
  session: ZkSession,
  { path, kind: { marks } }: QueueTicket,
  children: readonly string[],
): Promise<void> {
  for (const folder of semaphoreFolders(children)) {
    const inside = await childrenOf(session, `${path}/${folder}`);
    const used = inside.find((name) => parseLockNode(name) !== undefined);
    if (used !== undefined) throw usedAsAnotherKind(path, `${folder}/${used}`, marks);
  }
}
