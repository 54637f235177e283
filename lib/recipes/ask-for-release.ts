import { ask } from './ask.js';
import { readContenderNodes } from './contender.js';
import type { LockManager } from './lock-manager.js';
import { putRequest, type ReleaseRequest } from './release-request.js';

/**
 * Asks everybody who holds the lock of a path now to let go; resolves to how many were asked. A holder with several nodes
 * is asked through one of them: it listens on all. After a broken connection the same ones are asked again, never those
 * who hold it by then.
 */
export async function askForRelease(
  manager: LockManager,
  { key, path }: { readonly key: string; readonly path: string },
  request: ReleaseRequest,
): Promise<number> {
  const { connection } = manager;
  return manager.attempt(key, {}, async (attempt) => {
    const nodes = await ask(connection, attempt, (session) => readContenderNodes(session, path));
    const holders = new Map<string, string>();
    for (const { contender, entry } of nodes) {
      if (contender.state === 'holding') holders.set(entry ?? contender.path, contender.path);
    }
    const asked = await Promise.all(
      [...holders.values()].map((node) =>
        ask(connection, attempt, (session) => putRequest(session, node, request)),
      ),
    );
    return asked.filter(Boolean).length;
  });
}
