import type { DataTree } from './data-tree.js';
import { JavaHashSet } from './java-hash-set.js';
import { ownerKind, ttlOf } from './owner.js';

/** What ZooKeeper's ContainerManager finds in one check, in its order. */
export function findReapable(tree: DataTree, now: bigint): readonly string[] {
  const found = new JavaHashSet();
  for (const path of tree.reapable) {
    const node = tree.get(path);
    if (!node || node.numChildren > 0) continue;
    const isContainer = ownerKind(node.owner) === 'container';
    // A container that never had a child is new: somebody is about to create one.
    if (isContainer ? node.creates > 0 : now - node.mtime > ttlOf(node.owner)) found.add(path);
  }
  return found.toArray();
}
