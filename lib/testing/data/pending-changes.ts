import { ErrorCode } from '../wire/error-codes.js';
import type { Acl } from '../wire/records.js';
import type { DataTree } from './data-tree.js';
import { ZkError } from './zk-error.js';

/** What the checks of a write look at. */
export interface NodeRecord {
  readonly acl: readonly Acl[];
  readonly version: number;
  readonly aversion: number;
  readonly creates: number;
  readonly numChildren: number;
  readonly owner: bigint;
}

/**
 * The tree as it will be after the transactions that are checked but not applied: the operations of a multi see those
 * before them. Like ZooKeeper's own records of outstanding changes, it takes the numbers as they were computed, where
 * the tree itself may refuse them (a sequence that has run over).
 */
export class PendingChanges {
  private readonly changed = new Map<string, NodeRecord | undefined>();

  constructor(private readonly tree: DataTree) {}

  find(path: string): NodeRecord | undefined {
    return this.changed.has(path) ? this.changed.get(path) : this.tree.get(path);
  }

  /** @throws {ZkError} NoNode */
  get(path: string): NodeRecord {
    const found = this.find(path);
    if (!found) throw new ZkError(ErrorCode.NoNode);
    return found;
  }

  create(path: string, acl: readonly Acl[], owner: bigint): void {
    this.changed.set(path, { acl, version: 0, aversion: 0, creates: 0, numChildren: 0, owner });
  }

  change(path: string, before: NodeRecord, change: Partial<NodeRecord>): void {
    const { acl, version, aversion, creates, numChildren, owner } = before;
    this.changed.set(path, { acl, version, aversion, creates, numChildren, owner, ...change });
  }

  delete(path: string): void {
    this.changed.set(path, undefined);
  }
}
