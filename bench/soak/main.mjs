// `npm run soak [-- handover|callers|keys [count]]`: does memory stay flat? Ends with exit code 1 when the heap grows.
import { findOrInstallZooKeeper } from '../../scripts/zookeeper/find-zookeeper.mjs';
import { ZooKeeperProcess } from '../../scripts/zookeeper/zookeeper-process.mjs';
import { LockClient } from '../../test/support/lock-client.ts';
import { callers } from './callers.mjs';
import { handover } from './handover.mjs';
import { keys } from './keys.mjs';

const SCENARIOS = { handover, callers, keys };
const COUNT = 100_000;

const [only, count = String(COUNT)] = process.argv.slice(2);
if (only !== undefined && !(only in SCENARIOS)) {
  console.error(`There is no scenario "${only}". Known: ${Object.keys(SCENARIOS).join(', ')}.`);
  process.exit(2);
}

await findOrInstallZooKeeper(console.log);
const server = await ZooKeeperProcess.start({ tickTime: 2_000 });
const clients = [];
const open = async () => {
  const client = await LockClient.open(server.connectString, { sessionTimeoutMs: 30_000, waitMs: 120_000 });
  clients.push(client);
  return client;
};
try {
  const chosen = only === undefined ? Object.values(SCENARIOS) : [SCENARIOS[only]];
  for (const scenario of chosen) if (!(await scenario(open, Number(count)))) process.exitCode = 1;
} finally {
  for (const client of clients) await client[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
}
