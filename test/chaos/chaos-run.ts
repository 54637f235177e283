import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '../support/wait-for.js';
import { ZkAdmin } from '../support/zk-admin.js';
import type { BrokenVariant } from './broken/broken-variants.js';
import { check } from './checker.js';
import type { Violation } from './checks/violation.js';
import { SESSION_TIMEOUT_MS, type ChaosEnsemble } from './cluster/chaos-ensemble.js';
import { ChaosWorld } from './cluster/chaos-world.js';
import type { ChaosRecord } from './history.js';
import type { HistoryWriter } from './history-writer.js';
import { KEYS, queuesOf } from './keys.js';
import { Nemesis } from './nemesis.js';

export interface ChaosOptions {
  /** How long faults are made. */
  seconds: number;
  seed: number;
  /** Client processes. Default 4. */
  clients?: number;
  /** Operations that go on at once in each of them. Default 3. */
  callers?: number;
  /** Runs a library that is broken in this way. */
  broken?: BrokenVariant;
}

export interface ChaosResult {
  history: ChaosRecord[];
  violations: Violation[];
}

const FINISH_MS = 180_000;
const LEFT_OVER_MS = 30_000;

/** Clients that lock and write, faults all the while, then quiet; the verdict comes from the log. */
export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const { seconds, seed, clients = 4, callers = 3, broken } = options;
  await using world = await ChaosWorld.start();
  const { ensemble, log } = world;
  for (let index = 1; index <= clients; index += 1) {
    await world.addClient({ keys: KEYS, callers, broken, name: `c${index}`, seed: seed * 100 + index });
  }
  const fleet = world.clients;
  const nemesis = new Nemesis(ensemble, fleet, seed, SESSION_TIMEOUT_MS, log);
  for (const client of fleet) client.send('start');
  const trouble = nemesis.run();
  await Promise.race([sleep(seconds * 1_000, undefined, { ref: false }), trouble]);
  nemesis.stop();
  await trouble;
  await ensemble.settled();
  const alive = fleet.filter(({ isAlive }) => isAlive);
  for (const client of alive) client.send('finish');
  await Promise.all(alive.map((client) => client.answer(FINISH_MS)));
  await recordLeftOver(ensemble, log);
  await Promise.all(alive.map((client) => client.close(FINISH_MS)));
  const history = await world.history();
  return { history, violations: check(history) };
}

/**
 * What each member has under the keys while the sessions of the clients are still open; those of killed ones get time to expire.
 * A node that all members have may still go; one that only some have stays for good.
 */
async function recordLeftOver(ensemble: ChaosEnsemble, log: HistoryWriter): Promise<void> {
  const admins = await Promise.all(ensemble.members.map((member) => ZkAdmin.connect(member.connectString)));
  for (const key of KEYS) {
    const pathsIn = async (admin: ZkAdmin): Promise<string[]> => {
      const queues = queuesOf(key).map(async (queue) =>
        (await admin.children(queue)).map((name) => `${queue}/${name}`),
      );
      return (await Promise.all(queues)).flat();
    };
    const agreed = async (): Promise<boolean> => {
      const paths = await Promise.all(admins.map(pathsIn));
      return paths.every(({ length }) => length === 0);
    };
    await waitFor(agreed, { timeoutMs: LEFT_OVER_MS }).catch(() => undefined);
    for (const [index, admin] of admins.entries()) {
      const nodes = (await pathsIn(admin)).map((path) => describeNode(admin, path));
      log.record({ kind: 'left', key: key.name, member: index + 1, nodes: await Promise.all(nodes) });
    }
  }
  for (const admin of admins) admin.close();
}

/** Its path and the operation that made it. */
async function describeNode(admin: ZkAdmin, path: string): Promise<string> {
  const { data } = await admin.get(path).catch(() => ({ data: '{}' }));
  const { purpose = '?' } = JSON.parse(data) as { purpose?: string };
  return `${path} of ${purpose}`;
}
