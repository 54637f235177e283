import type { ZkSession } from '../session/zk-session.js';
import type { LockMode } from './held-lock.js';
import type { LockFamily } from './lock-families.js';
import { READ_MARK, type LockMark } from './lock-node.js';

/** What a call wants, as far as it explains a wait in vain. */
export interface WantedLock {
  readonly family: LockFamily;
  readonly mode: LockMode;
  /** False when the caller said `reentrant: false`. */
  readonly reentrant: boolean;
  /** Why it cannot be had whoever holds it, if that is so. */
  readonly obstacle?: (session: ZkSession) => Promise<string | undefined>;
}

/** What may be wrong when the holder is this very process. */
export function heldBySelf({ family, mode, reentrant }: WantedLock, holder: LockMark | undefined): string {
  if (family === 'semaphore') {
    return 'The holder is this very process; a semaphore is not reentrant: every entry takes permits of its own.';
  }
  if (mode === 'write' && holder === READ_MARK) {
    return (
      'The holder is this very process, as a reader: if it is the caller itself, it has to give the read lock back ' +
      'before it asks for the write lock.'
    );
  }
  if (!reentrant) {
    return "The holder is this very process; with reentrant: false its own section waits for it like a stranger's.";
  }
  return (
    'The holder is this very process; a lock from acquire() is not reentrant: ' +
    'inside its section use withLock() or @DistributedLock for both.'
  );
}
