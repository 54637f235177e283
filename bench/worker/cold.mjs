// Keys that nobody has used before, one after the other.
import { snapshot } from './clock.mjs';
import { reportOf } from './report.mjs';
import { timed } from './sequential.mjs';

const nothing = async () => undefined;
const IS_NEW = { isNew: true };

export async function cold({ settings, connect }) {
  const { key, keys, warmupCycles } = settings;
  const session = await connect();
  await session.prepare?.([]);
  await timed(warmupCycles, (i) => session.withLock(`${key}-warm-${i}`, nothing, IS_NEW));
  const from = snapshot();
  const latencies = await timed(keys, (i) => session.withLock(`${key}-${i}`, nothing, IS_NEW));
  return reportOf(keys, latencies, from, snapshot());
}
