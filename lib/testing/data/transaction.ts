import type { Acl, Stat } from '../wire/records.js';
import type { DataTree, Moment } from './data-tree.js';

/** A change that was checked and cannot fail any more. */
export type Transaction =
  | {
      type: 'create';
      path: string;
      data: Buffer | null;
      acl: readonly Acl[];
      owner: bigint;
      /** The parent's count of created children afterwards. */
      creates: number;
    }
  | { type: 'delete'; path: string }
  | { type: 'setData'; path: string; data: Buffer | null; version: number }
  | { type: 'setACL'; path: string; acl: readonly Acl[]; version: number }
  | { type: 'check'; path: string };

/** The node as it stands after the change; undefined where it is gone. */
export function applyTransaction(tree: DataTree, txn: Transaction, at: Moment): Stat | undefined {
  if (txn.type === 'create') {
    return tree.create(txn.path, txn.data, txn.acl, txn.owner, txn.creates, at).stat;
  }
  if (txn.type === 'delete') {
    tree.delete(txn.path, at.zxid);
    return undefined;
  }
  const node = tree.get(txn.path);
  if (!node)
    throw new Error(`${txn.type} of ${txn.path}, which does not exist: a transaction that was not checked`);
  if (txn.type === 'setData') tree.setData(txn.path, node, txn.data, txn.version, at);
  if (txn.type === 'setACL') {
    node.acl = txn.acl;
    node.aversion = txn.version;
  }
  return node.stat;
}
