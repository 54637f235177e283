// A deep queue: the callers of many processes wait on one key that the first process holds; each wants it once.
import { setTimeout as sleep } from 'node:timers/promises';
import { epoch, snapshot } from './clock.mjs';
import { holding } from './handoff.mjs';
import { reportOf } from './report.mjs';
import { Section } from './section.mjs';

/** How long after the release all must have had the lock. */
const LIMIT_MS = 120_000;

export async function drain({ settings, connect, ready }) {
  const { key, folder, callers, settle, index } = settings;
  const session = await connect();
  await session.prepare?.([key]);
  const section = new Section(folder, key);
  const first = index === 0 ? holding(await connect(), key) : undefined;
  await first?.isHeld;
  const leave = first && section.enter();
  const releaseAt = (await ready()) + settle * 1_000;

  const latencies = [];
  let to;
  const callersDone = Array.from({ length: callers }, () =>
    session.withLock(key, async () => {
      latencies.push(epoch() - releaseAt);
      await section.exclusive();
      to = snapshot();
    }),
  );
  await sleep(releaseAt - epoch());
  const from = snapshot();
  leave?.();
  first?.release();
  const all = Promise.allSettled(callersDone);
  await Promise.race([all, sleep(LIMIT_MS, undefined, { ref: false })]);
  return reportOf(latencies.length, latencies, from, to ?? snapshot(), {
    violations: section.violations,
    starved: callers - latencies.length,
  });
}
