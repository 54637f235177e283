import { byKey, isExclusive, type Grant } from './grants.js';
import type { Violation } from './violation.js';

/**
 * (b) Of mutexes and write locks; the tokens of readers and permits have no order. The order of two grants is certain when one was granted before the other was asked for, or when both were held for certain,
 * one after the other. In all other cases a process may have been stopped between the grant and the line in its log.
 */
export function checkTokens(grants: readonly Grant[]): Violation[] {
  return byKey(grants.filter(isExclusive)).flatMap((ofKey) => {
    const byToken = ofKey.toSorted((a, b) => (a.token < b.token ? -1 : a.token > b.token ? 1 : 0));
    return [...findEqual(byToken), ...findReversed(byToken)];
  });
}

function findEqual(byToken: readonly Grant[]): Violation[] {
  return byToken.flatMap((grant, at) => {
    const next = byToken[at + 1];
    if (next?.token !== grant.token) return [];
    return [violation(grant, next, `${grant.op} and ${next.op} have the same token ${grant.token}`)];
  });
}

/** From the largest token down: whoever has a larger one must not have come before. */
function findReversed(byToken: readonly Grant[]): Violation[] {
  const violations: Violation[] = [];
  let firstGranted: Grant | undefined;
  let firstOver: Grant | undefined;
  for (const grant of byToken.toReversed()) {
    const before =
      firstGranted !== undefined && firstGranted.grantedAt < grant.invokedAt
        ? firstGranted
        : firstOver?.heldUntil !== undefined &&
            grant.heldUntil !== undefined &&
            firstOver.heldUntil < grant.grantedAt
          ? firstOver
          : undefined;
    if (before !== undefined && before.token !== grant.token) {
      const text = `${before.op} with token ${before.token} came before ${grant.op} with token ${grant.token}`;
      violations.push(violation(before, grant, text));
    }
    if (firstGranted === undefined || grant.grantedAt < firstGranted.grantedAt) firstGranted = grant;
    if (grant.heldUntil !== undefined && grant.heldUntil < (firstOver?.heldUntil ?? Infinity))
      firstOver = grant;
  }
  return violations;
}

function violation(a: Grant, b: Grant, text: string): Violation {
  const times = [a.grantedAt, b.grantedAt];
  return {
    check: 'b',
    text: `"${a.key}": ${text}`,
    from: Math.min(...times),
    to: Math.max(...times),
    ops: [a.op, b.op],
  };
}
