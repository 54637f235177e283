const EPOCH_BEGAN = Date.UTC(2020, 0, 1);
/** Zxids per ms: more than one process can ever use up, so that the next start lies above all of this one. */
const PER_MS = 1_024;

/**
 * Where the zxids of a start begin. They follow the wall clock, so that those of a later start are always greater, and
 * with them the fencing tokens that are made of them. The epoch (the upper 32 bits) counts periods of 70 minutes since
 * 2020; it stays below 2^19, what a fencing token can carry, until 2089.
 */
export function firstZxid(wallClockMs: number): bigint {
  return BigInt(Math.floor((wallClockMs - EPOCH_BEGAN) * PER_MS));
}
