// `npm run demo`, also in a fresh clone: installs, builds, then runs sample-app/demo.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('..', import.meta.url));
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19))
  fail(`Node 20.19 or newer is needed; this is ${process.versions.node}.`);

// npm writes this file when an install is complete.
if (!existsSync(new URL('../node_modules/.package-lock.json', import.meta.url))) npm('ci');
npm('run', 'build');

const { findOrInstallZooKeeper } = await import('./zookeeper/find-zookeeper.mjs');
const { ProcessGuard } = await import('./zookeeper/process-guard.mjs');
const { ZooKeeperProcess } = await import('./zookeeper/zookeeper-process.mjs');
const { runDemo } = await import('../dist/sample-app/demo/main.js');

try {
  const right = await runDemo({
    makeGuard: () => new ProcessGuard(),
    startZooKeeper: async () => {
      await findOrInstallZooKeeper(console.log);
      const server = await ZooKeeperProcess.start();
      return { connectString: server.connectString, stop: () => server[Symbol.asyncDispose]() };
    },
  });
  process.exit(right ? 0 : 1);
} catch (error) {
  fail(error);
}

function npm(...args) {
  console.log(`> npm ${args.join(' ')}`);
  const shell = process.platform === 'win32';
  const { status, error } = spawnSync('npm', args, { cwd: project, stdio: 'inherit', shell });
  if (status !== 0) fail(error ?? `npm ${args.join(' ')} failed.`);
}

function fail(why) {
  console.error(why);
  process.exit(1);
}
