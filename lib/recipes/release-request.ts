import { isZkOperationError, ZkCode } from '../errors/zk-operation.error.js';
import type { ZkSession } from '../session/zk-session.js';
import { readContenderNodes } from './contender.js';
import { readHolderRecord, type HolderRecord } from './holder-record.js';

/** Somebody would like a holder to let go. */
export interface ReleaseRequest {
  /** Undefined when Curator's Revoker asked. */
  readonly reason?: string;
  /** Who asks: `host pid 123`. */
  readonly by?: string;
}

/** What Curator's Revoker writes over the whole node. */
const CURATORS_MESSAGE = '__REVOKE__';

interface AskedRecord extends HolderRecord {
  readonly release?: ReleaseRequest;
}

/** The request in the data of a lock's node, if there is one. */
export function readReleaseRequest(data: Buffer): ReleaseRequest | undefined {
  if (data.toString() === CURATORS_MESSAGE) return {};
  const record: AskedRecord | undefined = readHolderRecord(data);
  return record?.release;
}

/**
 * Asks every holder of a lock to let go; resolves to how many were asked. Their records keep everything else. A holder
 * with several nodes is asked through one of them: it listens on all.
 */
export async function requestRelease(
  session: ZkSession,
  path: string,
  request: ReleaseRequest,
): Promise<number> {
  const nodes = await readContenderNodes(session, path);
  const holders = new Map<string, string>();
  for (const { contender, entry } of nodes) {
    if (contender.state === 'holding') holders.set(entry ?? contender.path, contender.path);
  }
  const asked = await Promise.all([...holders.values()].map((node) => ask(session, node, request)));
  return asked.filter(Boolean).length;
}

async function ask(session: ZkSession, path: string, request: ReleaseRequest): Promise<boolean> {
  for (;;) {
    try {
      const { data, stat } = await session.get(path);
      const record = readHolderRecord(data);
      // Other libraries have no record to keep; Curator's revocable locks wait for this message.
      const message =
        record === undefined ? CURATORS_MESSAGE : JSON.stringify({ ...record, release: request });
      await session.set(path, Buffer.from(message), stat.version);
      return true;
    } catch (error) {
      if (isZkOperationError(error, ZkCode.noNode)) return false;
      if (!isZkOperationError(error, ZkCode.badVersion)) throw error;
    }
  }
}
