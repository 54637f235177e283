// `npm test`, also in a fresh clone: installs what is missing, checks types, style, format, build and what a lock costs (bench:guard), then
// runs the tests: all of them with real ZooKeeper servers, and again those for which the embedded server will do.
// `npm test -- test/contract` hands its arguments to jest, which runs once, with the server that ZK_SERVER names, and skips the other
// checks. The last line is `N passed, N failed`.
import { ensureInstalled, ensurePresent } from './install.mjs';
import { finish, run, runJest } from './jest-run.mjs';
import { findOrInstallZooKeeper } from './zookeeper/find-zookeeper.mjs';

const jestArguments = process.argv.slice(2);
const CHECKS = ['typecheck', 'lint', 'format:check', 'build', 'bench:guard'];

try {
  await prepare();
  finish(jestArguments.length > 0 ? runJest(jestArguments) : runEverything());
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  finish({ passed: 0, failed: 1, skipped: 0 });
}

async function prepare() {
  await ensureInstalled();
  await findOrInstallZooKeeper(console.log);
  await ensurePresent({
    initdb: 'postgresql',
    javac: 'default-jdk-headless',
    '/usr/share/java/curator-recipes.jar': 'libcurator-recipes-java',
    '/usr/lib/python3/dist-packages/kazoo': 'python3-kazoo',
  });
}

function runEverything() {
  const failedChecks = CHECKS.filter((check) => !run('npm', ['run', '--silent', check]));
  const real = runJest([], { ZK_SERVER: 'real' });
  // A server that costs little leaves room for one more worker than there are cores.
  const embedded = runJest(['--maxWorkers=3'], { ZK_SERVER: 'embedded' });
  for (const check of failedChecks) console.error(`npm run ${check} failed.`);
  return {
    passed: real.passed + embedded.passed,
    failed: real.failed + embedded.failed + failedChecks.length,
    skipped: real.skipped + embedded.skipped,
  };
}
