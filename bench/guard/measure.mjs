// One server; for each scenario its requests, counted by a proxy, and its allocations, without one.
import { ZooKeeperProcess } from '../../scripts/zookeeper/zookeeper-process.mjs';
import { LockClient } from '../../test/support/lock-client.ts';
import { ZkProxy } from '../../test/support/zk-proxy.ts';
import { bytesPerLock } from './allocations.mjs';
import { requestsPerLock } from './requests.mjs';
import { SCENARIOS } from './scenarios.mjs';

const SESSIONS = 2;
/** So long that hardly a keep-alive falls into a measurement. */
const CLIENT = { sessionTimeoutMs: 60_000, waitMs: 60_000 };

/**
 * @param {(name: string, figures: import('./verdict.mjs').Figures) => void} tell called after each scenario
 * @returns the figures by scenario
 */
export async function measureAll(tell) {
  const opened = [];
  const open = async (resource) => {
    opened.push(await resource);
    return opened.at(-1);
  };
  try {
    const server = await open(ZooKeeperProcess.start({ tickTime: 2_000 }));
    const proxy = await open(ZkProxy.start(server));
    const counted = await sessions(open, proxy.connectString);
    const direct = await sessions(open, server.connectString);
    const measured = {};
    for (const [name, scenario] of Object.entries(SCENARIOS)) {
      const key = name.replaceAll(' ', '-');
      const requests = await requestsPerLock(proxy, scenario.cycle(counted, `${key}-counted`), scenario);
      const bytes = Math.round(await bytesPerLock(scenario.cycle(direct, key), scenario));
      measured[name] = { requests, bytes };
      tell(name, measured[name]);
    }
    return measured;
  } finally {
    for (const resource of opened.reverse()) await resource[Symbol.asyncDispose]();
  }
}

async function sessions(open, connectString) {
  const locks = [];
  while (locks.length < SESSIONS) locks.push((await open(LockClient.open(connectString, CLIENT))).locks);
  return locks;
}
