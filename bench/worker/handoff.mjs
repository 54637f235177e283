// B waits while A holds; measured from A's call of release to B's grant.
import { setTimeout as sleep } from 'node:timers/promises';
import { now, snapshot } from './clock.mjs';
import { reportOf } from './report.mjs';

/** What B gets to queue up before A releases. */
const QUEUE_UP_MS = 10;
const WARMUP_LIMIT_MS = 5_000;
const LIMIT_MS = 20_000;

export async function handoff({ settings, connect, pollMs }) {
  const { key, rounds, warmupRounds } = settings;
  const [a, b] = [await connect(), await connect()];
  await a.prepare?.([key]);
  const run = async (times, limitMs) => {
    const latencies = [];
    const startedAt = now();
    while (latencies.length < times && now() - startedAt < limitMs) {
      latencies.push(await round(a, b, key, pollMs));
    }
    return latencies;
  };
  await run(warmupRounds, WARMUP_LIMIT_MS);
  const from = snapshot();
  const latencies = await run(rounds, LIMIT_MS);
  return reportOf(latencies.length, latencies, from, snapshot());
}

async function round(a, b, key, pollMs) {
  const { isHeld, release, ended } = await holding(a, key);
  await isHeld;
  let grantedAt = 0;
  const granted = b.withLock(key, async () => {
    grantedAt = now();
  });
  await sleep(QUEUE_UP_MS + Math.random() * pollMs); // whoever polls must not be met always at the same phase
  const releasedAt = now();
  release();
  await ended;
  await granted;
  return grantedAt - releasedAt;
}

/** A session that holds the key until `release` is called. */
export function holding(session, key) {
  let release, entered;
  const isHeld = new Promise((resolve) => (entered = resolve));
  const over = new Promise((resolve) => (release = resolve));
  const ended = session.withLock(key, () => {
    entered();
    return over;
  });
  return { isHeld: Promise.race([isHeld, ended]), release, ended };
}
