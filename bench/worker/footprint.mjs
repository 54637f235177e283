// What a caller that waits, a key that was used and a cycle cost this process.
import { setTimeout as sleep } from 'node:timers/promises';
import { snapshot } from './clock.mjs';
import { holding } from './handoff.mjs';
import { reportOf } from './report.mjs';
import { timed } from './sequential.mjs';

const nothing = async () => undefined;
const IS_NEW = { isNew: true };
/** What is behind an answer gets this long to be cleaned up. */
const QUIET_MS = 1_000;
const QUEUE_UP_MS = 3_000;

export async function footprint({ settings, connect }) {
  const { key, cycles, warmupCycles, keys, callers } = settings;
  const session = await connect();
  await session.prepare?.([key, `${key}-waited-for`]);
  const cycle = () => session.withLock(key, nothing);
  await timed(warmupCycles, cycle);
  const from = snapshot();
  const latencies = await timed(cycles, cycle);
  const to = snapshot();

  const used = (i) => session.withLock(`${key}-${i}`, nothing, IS_NEW);
  await timed(warmupCycles, (i) => used(`warm-${i}`));
  const perKey = await growth(async () => {
    await timed(keys, used);
    await sleep(QUIET_MS);
  });

  const first = holding(await connect(), `${key}-waited-for`);
  await first.isHeld;
  let waiters;
  const perCaller = await growth(async () => {
    waiters = Array.from({ length: callers }, () => session.withLock(`${key}-waited-for`, nothing));
    await sleep(QUEUE_UP_MS);
  });
  first.release();
  await Promise.all([first.ended, ...waiters]);

  return reportOf(cycles, latencies, from, to, {
    heapPerKey: perKey / keys,
    heapPerCaller: perCaller / callers,
  });
}

/** By how many bytes the heap, with what it holds outside of itself, grows. */
async function growth(action) {
  const before = await inUse();
  await action();
  return (await inUse()) - before;
}

async function inUse() {
  await sleep(QUIET_MS);
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
