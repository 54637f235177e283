// How each peer's program is started; what a peer needs is installed here, and one that cannot be had is left out.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ensureInstalled, npm } from '../../scripts/install.mjs';
import { PEERS } from '../peers/index.mjs';

const WORKER = fileURLToPath(new URL('../worker/main.mjs', import.meta.url));
const IN_JAVASCRIPT = [process.execPath, '--expose-gc', WORKER];
const PACKAGES = new URL('../peers/npm/', import.meta.url);

/**
 * @param {string[]} names of peers
 * @param {string} folder for what has to be compiled
 * @param {(line: string) => void} log told which peer is left out, and why
 * @returns {Promise<Map<string, string[]>>} the command of each peer that can be had
 */
export async function commandsOf(names, folder, log) {
  await ensureInstalled();
  if (names.some((name) => PEERS[name].module === 'ours.mjs')) npm('run', '--silent', 'build');
  const ready = new Map(); // what several peers need is made once
  const commands = new Map();
  for (const name of names) {
    const how = PEERS[name].program ?? (PEERS[name].needsPackages ? withPackages : inJavaScript);
    if (!ready.has(how))
      ready.set(
        how,
        how(folder).catch((error) => error),
      );
    const command = await ready.get(how);
    if (command instanceof Error) log(`${name} is left out: ${firstLine(command)}`);
    else commands.set(name, command);
  }
  return commands;
}

async function inJavaScript() {
  return IN_JAVASCRIPT;
}

async function withPackages() {
  if (!packagesAreThere()) {
    console.log('> npm ci (in bench/peers/npm)');
    const { status } = spawnSync('npm', ['ci', '--ignore-scripts'], {
      cwd: PACKAGES,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    if (status !== 0) throw new Error('the packages of bench/peers/npm could not be installed');
  }
  return IN_JAVASCRIPT;
}

function packagesAreThere() {
  const { dependencies } = JSON.parse(readFileSync(new URL('package.json', PACKAGES), 'utf8'));
  return Object.entries(dependencies).every(([name, version]) => {
    const file = new URL(`node_modules/${name}/package.json`, PACKAGES);
    return existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).version === version;
  });
}

/** What an error says, without its stack; of what a process wrote, the line that names an error. */
export function firstLine(error) {
  const lines = String(error.message ?? error)
    .trim()
    .split('\n');
  return lines.find((line) => /(Error|Exception)\b.*: /.test(line)) ?? lines[0];
}
