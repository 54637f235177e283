import { LockSequenceError } from '../errors/lock-sequence.error.js';

/** How many grants one node can carry before it has to be given up. */
export const MAX_GRANTS_PER_NODE = 4_095;
const GRANT_BITS = 12n;
const FIRST_UNUSABLE_ZXID = 2 ** 51;

/**
 * A number that is unique per grant and strictly greater than that of every earlier grant of the lock. Its upper part
 * is a zxid, which counts all changes of the ensemble, so it goes on when the parent is removed and the sequence
 * starts again at 0; its lower 12 bits count the grants of one node.
 * @param zxid of the node's creation, or a later one that is below every later contender's; fixed at the first grant.
 * @param grant 1 for the first grant of the node, at most 4,095.
 * @throws LockSequenceError from epoch 2^19 on, when it would no longer fit a signed 64-bit column.
 */
export function fencingToken(zxid: number, grant: number): bigint {
  if (!Number.isInteger(grant) || grant < 1 || grant > MAX_GRANTS_PER_NODE) {
    throw new LockSequenceError(`Grant ${grant} of one lock node: allowed are 1 to ${MAX_GRANTS_PER_NODE}.`);
  }
  checkTokenBase(zxid);
  return (BigInt(zxid) << GRANT_BITS) + BigInt(grant);
}

/** @throws LockSequenceError when tokens of this zxid would not fit a signed 64-bit column. */
export function checkTokenBase(zxid: number): void {
  if (zxid >= FIRST_UNUSABLE_ZXID) {
    throw new LockSequenceError(
      `The ensemble's zxid ${zxid} is too large for a 64-bit fencing token (epoch 2^19).`,
    );
  }
}
