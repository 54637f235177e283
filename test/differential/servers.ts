import { TestingServer } from '../../lib/testing/testing-server.js';
import { ZooKeeperProcess } from '../../scripts/zookeeper/zookeeper-process.mjs';

/** Ticks so long that no session expires during a run: the shortest timeout is two of them. */
const TICK_MS = 5_000;
const MIN_TIMEOUT_MS = 2 * TICK_MS;
const MAX_TIMEOUT_MS = 20 * TICK_MS;
/** Later than the test ends: when empty containers are removed is each server's own affair. */
const NEVER_MS = 2 ** 31 - 1;

/**
 * ZooKeeper with TTL nodes.
 * @param reapMs how often it looks for empty containers and outlived TTL nodes; by default not while a test runs
 */
export function realServer(reapMs = NEVER_MS): Promise<ZooKeeperProcess> {
  return ZooKeeperProcess.start({
    tickTime: TICK_MS,
    minSessionTimeout: MIN_TIMEOUT_MS,
    maxSessionTimeout: MAX_TIMEOUT_MS,
    containerCheckMs: reapMs,
    javaOptions: [
      '-Xmx384m',
      '-XX:+UseSerialGC',
      '-Dzookeeper.extendedTypesEnabled=true',
      '-Dzookeeper.forceSync=no', // nobody reads its log
    ],
  });
}

/** The embedded server, with the same settings. */
export function embeddedServer(reapMs = NEVER_MS): Promise<TestingServer> {
  return TestingServer.start({ tickTime: TICK_MS, containerCheckInterval: reapMs, ttlNodes: true });
}
