import { isZkOperationError, ZkCode } from '../errors/zk-operation.error.js';
import type { ZkSession } from '../session/zk-session.js';
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

/** The request in the data of a lock's node, if there is one; whatever else is in its place is no reason. */
export function readReleaseRequest(data: Buffer): ReleaseRequest | undefined {
  if (data.toString() === CURATORS_MESSAGE) return {};
  const record: (HolderRecord & { release?: unknown }) | undefined = readHolderRecord(data);
  const release = record?.release;
  if (typeof release !== 'object' || release === null) return undefined;
  const { reason, by } = release as { reason?: unknown; by?: unknown };
  return { ...(typeof reason === 'string' && { reason }), ...(typeof by === 'string' && { by }) };
}

/** Puts the request into the node of a holder, whose record keeps everything else. False when the node is gone. */
export async function putRequest(
  session: ZkSession,
  path: string,
  request: ReleaseRequest,
): Promise<boolean> {
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
