import type { ChaosRecord } from '../history.js';

/** One grant as the log tells of it. Times are in µs. */
export interface Grant {
  op: string;
  key: string;
  token: bigint;
  invokedAt: number;
  /** When the caller had the lock in its hands; the library granted it earlier. */
  grantedAt: number;
  /** The latest moment at which it was held for certain: taken before the last `isHeld()` that answered true. */
  heldUntil: number | undefined;
}

export function readGrants(history: readonly ChaosRecord[]): Grant[] {
  const invoked = new Map<string, number>();
  const grants = new Map<string, Grant>();
  for (const record of history) {
    if (record.kind === 'invoke') invoked.set(record.op, record.at);
    if (record.kind === 'granted') {
      const { op, key, at } = record;
      const invokedAt = invoked.get(op) ?? at;
      grants.set(op, {
        op,
        key,
        token: BigInt(record.token),
        invokedAt,
        grantedAt: at,
        heldUntil: undefined,
      });
    }
    if (record.kind === 'held-check' && record.held) {
      const grant = grants.get(record.op);
      if (grant) grant.heldUntil = Math.max(grant.heldUntil ?? 0, record.at);
    }
  }
  return [...grants.values()];
}

export function byKey<T extends { key: string }>(items: readonly T[]): T[][] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(item.key);
    if (group) group.push(item);
    else groups.set(item.key, [item]);
  }
  return [...groups.values()];
}
