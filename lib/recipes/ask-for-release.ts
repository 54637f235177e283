import { ask } from './ask.js';
import { readContenders } from './contender.js';
import type { LockManager } from './lock-manager.js';
import { checkReason, putRequest, type ReleaseRequest } from './release-request.js';

/**
 * Asks everybody who holds the lock of a path now to let go; resolves to how many were asked. After a broken connection
 * the same ones are asked again, never those who hold it by then.
 * @throws LockConfigError for a reason that is no string, or longer than 1,024 bytes.
 */
export async function askForRelease(
  manager: LockManager,
  { key, path }: { readonly key: string; readonly path: string },
  request: ReleaseRequest,
): Promise<number> {
  checkReason(request.reason);
  const { connection } = manager;
  return manager.attempt(key, {}, async (attempt) => {
    const contenders = await ask(connection, attempt, (session) => readContenders(session, path));
    const holders = contenders.filter(({ state }) => state === 'holding');
    const asked = await Promise.all(
      holders.map((holder) =>
        ask(connection, attempt, (session) => putRequest(session, holder.path, request)),
      ),
    );
    return asked.filter(Boolean).length;
  });
}
