// Installs Debian packages where that is allowed: as root on Debian or Ubuntu.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';

export function canInstallPackages() {
  return process.getuid?.() === 0 && existsSync('/etc/debian_version') && existsSync('/usr/bin/apt-get');
}

/**
 * @param {string[]} packages
 * @param {(line: string) => void} log told before the installation
 * @throws {Error} with the last lines that apt-get wrote
 */
export async function installPackages(packages, log) {
  log(`Installing with apt-get: ${packages.join(' ')}`);
  await aptGet(['update']);
  await aptGet(['install', '-y', '--no-install-recommends', ...packages]);
}

function aptGet(args) {
  // RUNLEVEL=1 keeps the packages from starting services of their own.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  return new Promise((resolve, reject) => {
    const child = execFile('apt-get', args, { env, maxBuffer: 64 << 20 }, (error, stdout, stderr) => {
      if (!error) resolve();
      else reject(new Error(`apt-get ${args.join(' ')} failed:\n${(stdout + stderr).slice(-2000)}`));
    });
    child.stdin?.end();
  });
}
