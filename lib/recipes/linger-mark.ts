import { inUse, readHolderRecord } from './holder-record.js';
import type { OwnNode } from './own-node.js';
import { readReleaseRequest } from './release-request.js';

/**
 * The word in a node's data that it may be kept although nobody has it: who does not want to wait for a holder waits for
 * such a node to be given up.
 */
export class LingerMark {
  constructor(
    private readonly node: OwnNode,
    lingers: boolean,
  ) {
    node.lingers = lingers;
  }

  /** It is in use, and others wait: they need not hope. Nobody waits for that. */
  async remove(record: Buffer): Promise<void> {
    const { node } = this;
    if (!node.lingers) return;
    node.lingers = false;
    await node.look().catch(() => undefined);
    node.replace(inUse(record));
  }

  /** Whether somebody overwrote the data, to ask its holder to let go for one. */
  async wasOverwritten(): Promise<boolean> {
    const { node } = this;
    await node.look().catch(() => undefined);
    if (node.data === undefined) return false;
    return readHolderRecord(node.data)?.lingers !== true || readReleaseRequest(node.data) !== undefined;
  }
}
