import { LockManager } from '../../../lib/recipes/lock-manager.js';
import { exclusive, type QueueRule } from '../../../lib/recipes/queue-rules.js';

/** The whole name decides who is first, so that a GUID does. */
const byName: QueueRule = (queue, index) => {
  const mine = queue[index]?.name;
  const sorted = queue.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return exclusive(
    sorted,
    sorted.findIndex(({ name }) => name === mine),
  );
};

export function sortByName(): void {
  const grant = LockManager.prototype.grant;
  LockManager.prototype.grant = function (this: LockManager, target, kind, attempt, options) {
    return grant.call(this, target, { ...kind, rule: byName }, attempt, options);
  };
}
