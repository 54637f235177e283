// What a fresh clone needs before anything can be built: the packages of package-lock.json, and what compiles them.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { canInstallPackages, installPackages } from '../zookeeper/debian-packages.mjs';

/** The ZooKeeper client is compiled when it is installed. Commands, each with the Debian package that brings it. */
const COMPILER = { make: 'make', 'g++': 'g++', python3: 'python3' };

/** Runs `npm ci` when something of package-lock.json is missing in node_modules. */
export async function ensureInstalled() {
  if (isInstalled()) return;
  await ensureCompiler();
  npm('ci');
}

/**
 * Runs npm in the project's folder, for everyone to see.
 * @throws {Error} when it fails
 */
export function npm(...args) {
  console.log(`> npm ${args.join(' ')}`);
  const cwd = new URL('../..', import.meta.url);
  const { status, error } = spawnSync('npm', args, { cwd, stdio: 'inherit' });
  if (status !== 0) throw error ?? new Error(`npm ${args.join(' ')} failed.`);
}

/** Everything in package-lock.json is in node_modules in the same version. */
function isInstalled() {
  const installed = packagesOf('node_modules/.package-lock.json');
  return Object.entries(packagesOf('package-lock.json')).every(([path, wanted]) => {
    const mayBeMissing = path === '' || wanted.optional || wanted.devOptional || wanted.peer;
    return installed[path]?.version === wanted.version || (mayBeMissing && !installed[path]);
  });
}

function packagesOf(lockFile) {
  const file = new URL(`../../${lockFile}`, import.meta.url);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).packages : {};
}

async function ensureCompiler() {
  const missing = Object.keys(COMPILER).filter(
    (command) => spawnSync('sh', ['-c', `command -v ${command}`]).status !== 0,
  );
  if (missing.length === 0) return;
  const packages = missing.map((command) => COMPILER[command]);
  if (canInstallPackages()) await installPackages(packages, console.log);
  else {
    throw new Error(
      `Missing: ${missing.join(', ')}. On Debian or Ubuntu: apt-get install ${packages.join(' ')}`,
    );
  }
}
