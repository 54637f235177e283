import type { LockKind, LockManager } from './lock-manager.js';
import { QueueLock, type LockTarget } from './queue-lock.js';
import { exclusive } from './queue-rules.js';

const MUTEX: LockKind = {
  family: 'mutex',
  mode: 'exclusive',
  mark: 'lock-',
  marks: ['lock-', '__lock__'],
  rule: exclusive,
  sharing: 'in-turn',
};

/** One key's mutex, on the nodes of Curator's InterProcessMutex; kazoo's Lock is waited for, too. */
export class Mutex extends QueueLock {
  constructor(manager: LockManager, target: LockTarget) {
    super(manager, target, MUTEX);
  }
}
