import type { ChaosRecord, RecordOf, Share } from '../history.js';

/** One grant as the log tells of it. Times are in µs. */
export interface Grant {
  op: string;
  key: string;
  share: Share;
  token: bigint;
  invokedAt: number;
  /** When the caller had the lock in its hands; the library granted it earlier. */
  grantedAt: number;
  /** The latest moment at which it was held for certain: taken before the last `isHeld()` that answered true. */
  heldUntil: number | undefined;
}
export type HeldGrant = Grant & { heldUntil: number };

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
        share: shareOf(record),
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

function shareOf(record: RecordOf<'granted'>): Share {
  if (record.mode !== 'permit') return { mode: record.mode };
  const { mode, permits, limit } = record;
  return { mode, permits, limit };
}

/** Nobody may be beside it. */
export function isExclusive({ share: { mode } }: { share: Share }): boolean {
  return mode === 'exclusive' || mode === 'write';
}

/** Those that were held at all, in the order of their grants. */
export function heldForCertain(grants: readonly Grant[]): HeldGrant[] {
  return grants
    .filter((grant): grant is HeldGrant => grant.heldUntil !== undefined)
    .sort((a, b) => a.grantedAt - b.grantedAt);
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
