import { bySequence, parseLockNode, type LockNode } from '../../../lib/recipes/lock-node.js';
import { ZkSession } from '../../../lib/session/zk-session.js';

/** Giving back deletes "the lock", that is the first node of the queue as it is now, and so does every retry. */
export function releaseTheFirst(): void {
  const original = ZkSession.prototype.delete;
  ZkSession.prototype.delete = async function (this: ZkSession, path) {
    if (parseLockNode(path) === undefined) return original.call(this, path);
    const parent = path.slice(0, path.lastIndexOf('/'));
    const { children } = await this.getChildren(parent);
    const [first] = children
      .map(parseLockNode)
      .filter((node): node is LockNode => node !== undefined)
      .sort(bySequence);
    if (first !== undefined) await original.call(this, `${parent}/${first.name}`);
  };
}
