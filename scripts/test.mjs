// `npm test`, also in a fresh clone: installs what is missing, checks types, style, format, build and what a lock costs (bench:guard), then
// runs the tests.
// `npm test -- test/contract` hands its arguments to jest and skips the other checks. The last line is `N passed, N failed`.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureInstalled, ensurePresent } from './install.mjs';
import { findOrInstallZooKeeper } from './zookeeper/find-zookeeper.mjs';

const project = fileURLToPath(new URL('..', import.meta.url));
const jestArguments = process.argv.slice(2);
const CHECKS = ['typecheck', 'lint', 'format:check', 'build', 'bench:guard'];

try {
  await prepare();
  const failedChecks =
    jestArguments.length > 0 ? [] : CHECKS.filter((check) => !run('npm', ['run', '--silent', check]));
  const tests = runJest();
  for (const check of failedChecks) console.error(`npm run ${check} failed.`);
  finish(tests.passed, tests.failed + failedChecks.length, tests.skipped);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  finish(0, 1, 0);
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

function run(command, args, env = {}) {
  console.log(`> ${command} ${args.join(' ')}`);
  const stdio = ['ignore', 'inherit', 'inherit'];
  const { status, error } = spawnSync(command, args, {
    cwd: project,
    stdio,
    env: { ...process.env, ...env },
  });
  if (error) console.error(error.message);
  return status === 0;
}

function runJest() {
  const folder = mkdtempSync(join(tmpdir(), 'jest-result-'));
  const file = join(folder, 'result.json');
  const jest = join('node_modules', 'jest', 'bin', 'jest.js');
  const ok = run(process.execPath, [jest, '--json', `--outputFile=${file}`, ...jestArguments], {
    NODE_OPTIONS: '--experimental-vm-modules --no-warnings',
  });
  const result = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  rmSync(folder, { recursive: true });
  const passed = result.numPassedTests ?? 0;
  const failed = (result.numFailedTests ?? 0) + (result.numRuntimeErrorTestSuites ?? 0);
  return { passed, failed: ok ? failed : Math.max(failed, 1), skipped: result.numPendingTests ?? 0 };
}

function finish(passed, failed, skipped) {
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
}
