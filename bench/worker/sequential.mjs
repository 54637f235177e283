// One session, one key, one cycle after the other: so many cycles, and for as long as other workloads last.
import { now, snapshot } from './clock.mjs';
import { reportOf } from './report.mjs';

const nothing = async () => undefined;

export async function sequential({ settings, connect }) {
  const { key, cycles, warmupCycles, seconds, warmup } = settings;
  const session = await connect();
  await session.prepare?.([key]);
  const cycle = () => session.withLock(key, nothing);
  await timed(warmupCycles, cycle, warmup);
  const from = snapshot();
  const latencies = await timed(cycles, cycle, seconds);
  return reportOf(latencies.length, latencies, from, snapshot());
}

/** Runs it so often, and at least for so many seconds; how long each took, in ms. */
export async function timed(times, cycle, seconds = 0) {
  const latencies = [];
  const begin = now();
  for (let i = 0; i < times || now() - begin < seconds * 1_000; i += 1) {
    const startedAt = now();
    await cycle(i);
    latencies.push(now() - startedAt);
  }
  return latencies;
}
