// What a fresh clone needs before anything can be built: the packages of package-lock.json, and what compiles them.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { canInstallPackages, installPackages } from './zookeeper/debian-packages.mjs';

/** Runs `npm ci` when something of package-lock.json is missing in node_modules. */
export async function ensureInstalled() {
  if (isInstalled()) return;
  // the ZooKeeper client is compiled when it is installed
  await ensurePresent({ make: 'make', 'g++': 'g++', python3: 'python3' });
  console.log(
    'Installing the packages and compiling the ZooKeeper client, which takes one to three minutes.',
  );
  npm('ci', '--loglevel=error'); // npm's warnings of engines are not about this project
}

/**
 * Runs npm in the project's folder, for everyone to see.
 * @throws {Error} when it fails
 */
export function npm(...args) {
  console.log(`> npm ${args.join(' ')}`);
  const cwd = new URL('..', import.meta.url);
  const { status, error } = spawnSync('npm', args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw error ?? new Error(`npm ${args.join(' ')} failed.`);
}

/**
 * Installs what is missing, as root on Debian.
 * @param {Record<string, string>} wanted commands, or files by their full path, each with the Debian package that brings it
 * @throws {Error} that names what is missing, elsewhere
 */
export async function ensurePresent(wanted) {
  const missing = Object.entries(wanted).filter(([name]) => !isPresent(name));
  if (missing.length === 0) return;
  const packages = missing.map(([, debianPackage]) => debianPackage);
  if (!canInstallPackages()) {
    const names = missing.map(([name]) => name).join(', ');
    throw new Error(`Missing: ${names}. On Debian or Ubuntu: apt-get install ${packages.join(' ')}`);
  }
  await installPackages(packages, console.log);
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
  const file = new URL(`../${lockFile}`, import.meta.url);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).packages : {};
}

function isPresent(name) {
  if (name.startsWith('/')) return existsSync(name);
  // Debian keeps initdb off the PATH
  const look = `command -v ${name} || ls /usr/lib/postgresql/*/bin/${name}`;
  return spawnSync('sh', ['-c', look]).status === 0;
}
