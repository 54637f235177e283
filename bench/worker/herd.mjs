// Many sessions wait on one key; how many packets pass at the ZooKeeper server for each release.
import { setTimeout as sleep } from 'node:timers/promises';
import { fourLetter } from '../../scripts/zookeeper/zookeeper-process.mjs';
import { now, snapshot } from './clock.mjs';
import { holding } from './handoff.mjs';
import { reportOf } from './report.mjs';

const SETTLE_MS = 3_000;

export async function herd({ settings, connect, server }) {
  const { key, sessions: count, hold } = settings;
  const sessions = [];
  while (sessions.length < count) sessions.push(await connect());
  await sessions[0].prepare?.([key]);
  const first = holding(sessions[0], key);
  await first.isHeld;
  const latencies = [];
  let releasedAt;
  const others = sessions.slice(1).map((session) =>
    session.withLock(key, async () => {
      latencies.push(now() - releasedAt);
      await sleep(hold); // whoever lost waits again before the next release
      releasedAt = now();
    }),
  );
  await sleep(SETTLE_MS);
  const before = await packets(server);
  const from = snapshot();
  releasedAt = now();
  first.release();
  await Promise.all([first.ended, ...others]);
  const packetsPerRelease = ((await packets(server)) - before) / count;
  return reportOf(count, latencies, from, snapshot(), { packetsPerRelease });
}

/** Packets that the server has received and sent. */
async function packets(server) {
  const port = Number(server.split(',')[0].split(':')[1]);
  const text = await fourLetter(port, 'mntr');
  const figure = (way) => Number(new RegExp(`zk_packets_${way}\\s+(\\d+)`).exec(text)[1]);
  return figure('received') + figure('sent');
}
