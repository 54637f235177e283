import { LockManager } from '../../../lib/recipes/lock-manager.js';
import { parseLockNode } from '../../../lib/recipes/lock-node.js';

/** The fencing token is the node's sequence number, which starts at 0 again when the server has reaped the parent. */
export function sequenceToken(): void {
  const grant = LockManager.prototype.grant;
  LockManager.prototype.grant = async function (this: LockManager, ...args) {
    const hold = await grant.apply(this, args);
    const { granted } = hold as unknown as { granted: { node: { path: string } } };
    const sequence = parseLockNode(granted.node.path)?.sequence ?? 0;
    return Object.defineProperty(hold, 'fencingToken', { value: BigInt(sequence) });
  };
}
