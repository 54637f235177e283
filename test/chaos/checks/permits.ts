import { byKey, heldForCertain, type Grant, type HeldGrant } from './grants.js';
import type { Violation } from './violation.js';

/** (c) of semaphores: as `checkExclusion`, but at no time may more permits have been held than there are. */
export function checkPermits(grants: readonly Grant[]): Violation[] {
  return byKey(heldForCertain(grants)).flatMap((ofKey) => {
    const violations: Violation[] = [];
    let holders: HeldGrant[] = [];
    for (const grant of ofKey) {
      const { share, grantedAt, key } = grant;
      if (share.mode !== 'permit') continue;
      holders = [...holders.filter(({ heldUntil }) => heldUntil > grantedAt), grant];
      const permits = holders.reduce((sum, holder) => sum + permitsOf(holder), 0);
      if (permits <= share.limit) continue;
      const ops = holders.map(({ op }) => op);
      const to = Math.min(...holders.map(({ heldUntil }) => heldUntil));
      violations.push({
        check: 'c',
        text: `${ops.join(', ')} held ${permits} permits of "${key}", which has ${share.limit}, for ${to - grantedAt} µs`,
        from: Math.min(...holders.map((holder) => holder.grantedAt)),
        to,
        ops,
      });
    }
    return violations;
  });
}

function permitsOf({ share }: Grant): number {
  return share.mode === 'permit' ? share.permits : 0;
}
