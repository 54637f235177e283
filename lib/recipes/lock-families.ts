import { LockConfigError } from '../errors/lock-config.error.js';

/** Kinds of lock that exclude each other when they meet under one key; two of different families do not. */
export type LockFamily = 'mutex' | 'read-write lock' | 'semaphore' | 'leader latch';

/** What to look for in the code: one family may be entered in several ways. */
const USES: Readonly<Record<LockFamily, string>> = {
  mutex: 'mutex (or leader election by run(), which stands on the nodes of a mutex)',
  'read-write lock': 'read-write lock',
  semaphore: 'semaphore',
  'leader latch': 'leader latch (leader election by start() or @LeaderOnly)',
};

/** As which family each path is used in this process now: a mix-up is found at once, not by its nodes. */
export class LockFamilies {
  private readonly inUse = new Map<string, { family: LockFamily; users: number }>();

  /** One more use of the path as this family, until `leave`.
   * @throws LockConfigError when the path is in use as another family. */
  enter(path: string, family: LockFamily, key: string): void {
    const use = this.inUse.get(path);
    if (use === undefined) {
      this.inUse.set(path, { family, users: 1 });
    } else if (use.family === family) {
      use.users += 1;
    } else {
      throw new LockConfigError(
        `The key "${key}" is used as ${USES[use.family]} and as ${USES[family]} at the same time: the two do not ` +
          'exclude each other. Use one kind of lock per key.',
        { key },
      );
    }
  }

  leave(path: string): void {
    const use = this.inUse.get(path);
    if (use === undefined) return;
    use.users -= 1;
    if (use.users === 0) this.inUse.delete(path);
  }
}
