// One session, one key, one cycle after the other.
import { now, snapshot } from './clock.mjs';
import { reportOf } from './report.mjs';

const nothing = async () => undefined;

export async function sequential({ settings, connect }) {
  const { key, cycles, warmupCycles } = settings;
  const session = await connect();
  await session.prepare?.([key]);
  await timed(warmupCycles, () => session.withLock(key, nothing));
  const from = snapshot();
  const latencies = await timed(cycles, () => session.withLock(key, nothing));
  return reportOf(cycles, latencies, from, snapshot());
}

/** Runs it so often; how long each took, in ms. */
export async function timed(times, cycle) {
  const latencies = [];
  for (let i = 0; i < times; i += 1) {
    const startedAt = now();
    await cycle(i);
    latencies.push(now() - startedAt);
  }
  return latencies;
}
