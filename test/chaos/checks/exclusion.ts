import { byKey, heldForCertain, isExclusive, type Grant, type HeldGrant } from './grants.js';
import type { Violation } from './violation.js';

/**
 * (c) Between the grant of a mutex or a write lock and its last `isHeld()` that answered true nobody else may have been in the same
 * position, readers included. Readers may be beside readers; permits are counted by `checkPermits`.
 */
export function checkExclusion(grants: readonly Grant[]): Violation[] {
  return byKey(heldForCertain(grants)).flatMap((ofKey) => {
    const violations: Violation[] = [];
    let longest: HeldGrant | undefined;
    let longestExclusive: HeldGrant | undefined;
    for (const grant of ofKey) {
      const before = isExclusive(grant) ? longest : longestExclusive;
      if (before !== undefined && grant.grantedAt < before.heldUntil) {
        const to = Math.min(before.heldUntil, grant.heldUntil);
        violations.push({
          check: 'c',
          text: `${before.op} and ${grant.op} both held "${grant.key}" for ${to - grant.grantedAt} µs`,
          from: before.grantedAt,
          to,
          ops: [before.op, grant.op],
        });
      }
      longest = longer(longest, grant);
      if (isExclusive(grant)) longestExclusive = longer(longestExclusive, grant);
    }
    return violations;
  });
}

function longer(known: HeldGrant | undefined, grant: HeldGrant): HeldGrant {
  return known === undefined || grant.heldUntil > known.heldUntil ? grant : known;
}
