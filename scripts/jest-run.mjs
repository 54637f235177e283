// Runs jest as the project needs it, and counts.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('..', import.meta.url));

/** Runs a command in the project's folder, for everyone to see; false when it fails. */
export function run(command, args, env = {}) {
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

/** Hands back how many tests passed, failed and were skipped; a run that ends badly otherwise counts as one that failed. */
export function runJest(args, env = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'jest-result-'));
  const file = join(folder, 'result.json');
  const jest = join('node_modules', 'jest', 'bin', 'jest.js');
  const ok = run(process.execPath, [jest, '--json', `--outputFile=${file}`, ...args], {
    NODE_OPTIONS: '--experimental-vm-modules --no-warnings',
    ...env,
  });
  const result = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  rmSync(folder, { recursive: true });
  const passed = result.numPassedTests ?? 0;
  const failed = (result.numFailedTests ?? 0) + (result.numRuntimeErrorTestSuites ?? 0);
  return { passed, failed: ok ? failed : Math.max(failed, 1), skipped: result.numPendingTests ?? 0 };
}

/** The last line, and the exit code. */
export function finish({ passed, failed, skipped }) {
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
}
