// What the field ephemeralOwner of a node says (ZooKeeper's EphemeralType): 0 for a plain node, a session id for an
// ephemeral one, and marks for the two kinds that the server removes by itself.

/** The owner of a container: the smallest int64. */
export const CONTAINER_OWNER = -(2n ** 63n);
/** The highest byte of a TTL node's owner; the lower 40 bits are the milliseconds. */
const TTL_MASK = -(2n ** 56n);
const MAX_TTL_MS = 2n ** 40n - 1n;

export type OwnerKind = 'none' | 'session' | 'container' | 'ttl';

/** @returns undefined when the TTL is not between 1 ms and 2^40 - 1 ms */
export function ttlOwner(ttlMs: bigint): bigint | undefined {
  return ttlMs > 0n && ttlMs <= MAX_TTL_MS ? TTL_MASK | ttlMs : undefined;
}

export function ttlOf(owner: bigint): bigint {
  return owner & MAX_TTL_MS;
}

/** A server id is never 0xff, so that no session id looks like a TTL node's owner. */
export function ownerKind(owner: bigint): OwnerKind {
  if (owner === 0n) return 'none';
  if (owner === CONTAINER_OWNER) return 'container';
  return (owner & TTL_MASK) === TTL_MASK ? 'ttl' : 'session';
}
