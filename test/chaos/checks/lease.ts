import type { ChaosRecord } from '../history.js';
import type { Violation } from './violation.js';

/**
 * (f) Nothing is held past the lease deadline, nothing is held again that was not, and the signal has aborted whenever the lock is
 * found lost, and by the end of the turn in which the deadline's timers ran.
 */
export function checkLease(history: readonly ChaosRecord[]): Violation[] {
  const violations: Violation[] = [];
  const notHeld = new Map<string, number>();
  for (const record of history) {
    if (record.kind !== 'held-check' && record.kind !== 'deadline') continue;
    const { op, key, at, deadline, aborted } = record;
    const report = (from: number, text: string): void =>
      void violations.push({ check: 'f', text: `"${key}": ${op} ${text}`, from, to: at, ops: [op] });
    if (record.kind === 'deadline') {
      if (!aborted) report(deadline, `had no signal ${at - deadline} µs after its lease deadline`);
      continue;
    }
    const lost = notHeld.get(op);
    if (record.held && at > deadline)
      report(deadline, `was held ${at - deadline} µs after its lease deadline`);
    if (record.held && lost !== undefined) report(lost, 'was held again');
    if (!record.held && !aborted) report(at, 'was not held, but had no signal');
    if (!record.held) notHeld.set(op, Math.min(lost ?? Infinity, at));
  }
  return violations;
}
