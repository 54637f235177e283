import { byKey, type Grant } from './grants.js';
import type { Violation } from './violation.js';

/** (c) Between the grant and its last `isHeld()` that answered true nobody else may have been in the same position. */
export function checkExclusion(grants: readonly Grant[]): Violation[] {
  return byKey(grants).flatMap((ofKey) => {
    const violations: Violation[] = [];
    const held = ofKey.filter(
      (grant): grant is Grant & { heldUntil: number } => grant.heldUntil !== undefined,
    );
    let longest: (typeof held)[number] | undefined;
    for (const grant of held.sort((a, b) => a.grantedAt - b.grantedAt)) {
      if (longest !== undefined && grant.grantedAt < longest.heldUntil) {
        const to = Math.min(longest.heldUntil, grant.heldUntil);
        violations.push({
          check: 'c',
          text: `${longest.op} and ${grant.op} both held "${grant.key}" for ${to - grant.grantedAt} µs`,
          from: longest.grantedAt,
          to,
          ops: [longest.op, grant.op],
        });
      }
      if (longest === undefined || grant.heldUntil > longest.heldUntil) longest = grant;
    }
    return violations;
  });
}
