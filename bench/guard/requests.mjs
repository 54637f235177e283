// Requests that a cycle sends, by operation, counted on the wire.
import { setTimeout as sleep } from 'node:timers/promises';
import { repeat } from './scenarios.mjs';

const MEASUREMENTS = 3;
const COUNTED_LOCKS = 50;
/** What nobody waits for is on its way for so long at most. */
const SETTLE_MS = 100;

/**
 * @param {import('../../test/support/zk-proxy.ts').ZkProxy} proxy that all requests pass
 * @param {() => Promise<void>} cycle
 * @returns {Promise<Record<string, number>>} per lock taken; the measurement with the fewest
 */
export async function requestsPerLock(proxy, cycle, { perCycle }) {
  const cycles = Math.ceil(COUNTED_LOCKS / perCycle);
  await repeat(2, cycle); // parents are made, and known
  let fewest;
  for (let i = 0; i < MEASUREMENTS; i += 1) {
    await sleep(SETTLE_MS);
    proxy.reset();
    await repeat(cycles, cycle);
    await sleep(SETTLE_MS);
    const counted = perLock(proxy.requests, cycles * perCycle);
    if (fewest === undefined || total(counted) < total(fewest)) fewest = counted;
  }
  return fewest;
}

export const total = (requests) => Object.values(requests).reduce((sum, count) => sum + count, 0);

function perLock(requests, locks) {
  const counts = {};
  for (const { op } of requests) counts[op] = (counts[op] ?? 0) + 1;
  const rounded = ([op, count]) => [op, Number((count / locks).toFixed(2))];
  return Object.fromEntries(Object.entries(counts).sort().map(rounded));
}
