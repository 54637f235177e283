// `npm run demo`, also in a fresh clone: installs, builds, then runs sample-app/demo.
import { ensureInstalled, npm } from './install.mjs';
import { findOrInstallZooKeeper } from './zookeeper/find-zookeeper.mjs';
import { ProcessGuard } from './zookeeper/process-guard.mjs';
import { ZooKeeperProcess } from './zookeeper/zookeeper-process.mjs';

const tools = {
  makeGuard: (folder) => new ProcessGuard(folder),
  startZooKeeper: async () => {
    await findOrInstallZooKeeper(console.log);
    const server = await ZooKeeperProcess.start();
    return { connectString: server.connectString, stop: () => server[Symbol.asyncDispose]() };
  },
};

try {
  await ensureInstalled();
  npm('run', 'build');
  const { runDemo } = await import('../dist/sample-app/demo/main.js');
  process.exitCode = (await runDemo(tools)) ? 0 : 1;
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}
