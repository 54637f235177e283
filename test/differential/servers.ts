import { ZooKeeperServer } from '../support/zookeeper-server.js';

/** Ticks so long that no session expires during a run: the shortest timeout is two of them. */
export const TICK_MS = 5_000;
export const MIN_TIMEOUT_MS = 2 * TICK_MS;
export const MAX_TIMEOUT_MS = 20 * TICK_MS;
/** Later than the test ends: when ZooKeeper removes empty containers is its own affair. */
const NEVER_MS = 2 ** 31 - 1;

/** A real server that offers TTL nodes and reaps nothing meanwhile. */
export function realServer(): Promise<ZooKeeperServer> {
  return ZooKeeperServer.start({
    tickTime: TICK_MS,
    minSessionTimeout: MIN_TIMEOUT_MS,
    maxSessionTimeout: MAX_TIMEOUT_MS,
    containerCheckMs: NEVER_MS,
    javaOptions: [
      '-Xmx384m',
      '-XX:+UseSerialGC',
      '-Dzookeeper.extendedTypesEnabled=true',
      '-Dzookeeper.forceSync=no',
    ],
  });
}
