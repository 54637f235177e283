import { checkAnswers } from './checks/answers.js';
import { checkExclusion } from './checks/exclusion.js';
import { readGrants } from './checks/grants.js';
import { checkLease } from './checks/lease.js';
import { checkCrashes, checkLeftOver } from './checks/left-over.js';
import { checkPermits } from './checks/permits.js';
import { checkRegister } from './checks/register.js';
import { checkTokens } from './checks/tokens.js';
import type { Violation } from './checks/violation.js';
import type { ChaosRecord } from './history.js';

/** Decides from the log alone. No verdict depends on speed; only (d) is about time, and it has slack. */
export function check(history: readonly ChaosRecord[]): Violation[] {
  const grants = readGrants(history);
  return [
    ...checkRegister(history),
    ...checkTokens(grants),
    ...checkExclusion(grants),
    ...checkPermits(grants),
    ...checkAnswers(history),
    ...checkLeftOver(history),
    ...checkLease(history),
    ...checkCrashes(history),
  ];
}
