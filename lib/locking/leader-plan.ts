import type { OnSuspended } from '../recipes/leader-candidate.js';
import type { LockKey } from './lock-key.js';
import type { LockPath } from './lock-target.js';

/** What `@LeaderOnly` was told about the election. */
export interface LeaderPlan {
  /** The first method that wants it, `ReportsService.nightly`. */
  readonly site: string;
  readonly key: LockKey | LockPath;
  readonly onSuspended: OnSuspended;
}
