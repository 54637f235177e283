// `npm run demo`, also in a fresh clone: installs, builds, then runs sample-app/demo. It needs
// no ZooKeeper and no Java.
import { ensureInstalled, npm } from './install.mjs';
import { ProcessGuard } from './zookeeper/process-guard.mjs';

const tools = { makeGuard: (folder) => new ProcessGuard(folder) };

try {
  await ensureInstalled();
  console.log('Building the library and the sample service.');
  npm('run', 'build');
  console.log('Starting the demo: an embedded ZooKeeper, three processes and 800 payments.');
  const { runDemo } = await import('../dist/sample-app/demo/main.js');
  process.exitCode = (await runDemo(tools)) ? 0 : 1;
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}
