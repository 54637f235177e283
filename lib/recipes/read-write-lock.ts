import { READ_MARK, WRITE_MARK } from './lock-node.js';
import type { LockKind, LockManager } from './lock-manager.js';
import { QueueLock, type LockTarget } from './queue-lock.js';
import { exclusive, read } from './queue-rules.js';

const marks = [READ_MARK, WRITE_MARK] as const;
const READ: LockKind = {
  family: 'read-write lock',
  mode: 'read',
  mark: READ_MARK,
  marks,
  rule: read,
  sharing: 'readers',
};
const WRITE: LockKind = {
  family: 'read-write lock',
  mode: 'write',
  mark: WRITE_MARK,
  marks,
  rule: exclusive,
  sharing: 'in-turn',
};

/**
 * Many readers or one writer, first come first served: a reader waits for the writers that came before it, so that
 * writers do not starve. On the nodes of Curator's InterProcessReadWriteLock.
 *
 * Inside the write lock the read lock may be entered (a downgrade): the write node stays in the queue until all of it
 * has ended, so nobody gets in beside it. Inside the read lock the write lock is a `LockUpgradeError`.
 */
export class ReadWriteLock {
  readonly read: QueueLock;
  readonly write: QueueLock;

  constructor(manager: LockManager, target: LockTarget) {
    this.read = new QueueLock(manager, target, READ);
    this.write = new QueueLock(manager, target, WRITE);
  }
}
