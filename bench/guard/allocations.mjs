// Bytes of heap that a cycle allocates. The young generation is made so large (see package.json) that no garbage collection
// falls into a measurement; one that it disturbs all the same does not count.
import { PerformanceObserver } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../report/medians.mjs';
import { repeat } from './scenarios.mjs';

const MEASUREMENTS = 3;
const MOST_TRIES = 9;
const SETTLE_MS = 50;

/**
 * @param {() => Promise<void>} cycle
 * @param {import('./scenarios.mjs').Scenario} scenario
 * @returns {Promise<number>} bytes per lock taken, the median of several measurements
 */
export async function bytesPerLock(cycle, { warmup, cycles, perCycle }) {
  await repeat(warmup, cycle);
  const measured = [];
  for (let tries = 0; measured.length < MEASUREMENTS; tries += 1) {
    if (tries === MOST_TRIES) throw new Error('Garbage was collected in every measurement.');
    const bytes = await undisturbed(() => repeat(cycles, cycle));
    if (bytes !== undefined) measured.push(bytes / (cycles * perCycle));
  }
  return median(measured);
}

/** By how much the heap grew; undefined when garbage was collected. */
async function undisturbed(action) {
  globalThis.gc();
  await sleep(SETTLE_MS); // until the observer has been told of that one
  let collections = 0;
  const observer = new PerformanceObserver((list) => (collections += list.getEntries().length));
  observer.observe({ entryTypes: ['gc'] });
  const before = process.memoryUsage().heapUsed;
  await action();
  const growth = process.memoryUsage().heapUsed - before;
  await sleep(SETTLE_MS);
  observer.disconnect();
  return collections === 0 ? growth : undefined;
}
