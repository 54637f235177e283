// What a figure depends on, without telling whose machine it is.
import { execFileSync } from 'node:child_process';
import { statfsSync } from 'node:fs';
import { cpus, platform, release, tmpdir, totalmem } from 'node:os';

const TMPFS = 0x01021994;

/** @param {string[]} servers what the servers call themselves */
export function machine(servers) {
  return {
    at: new Date().toISOString().slice(0, 10),
    cpu: `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}`,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${platform()} ${release().replace(/-.*$/, '')}`,
    node: process.version,
    java: javaVersion(),
    servers,
    // ZooKeeper and etcd always call fsync; on a disk in memory it costs nothing
    fsync: statfsSync(tmpdir()).type !== TMPFS,
  };
}

function javaVersion() {
  try {
    return execFileSync('java', ['--version'], { encoding: 'utf8' }).split('\n')[0].trim();
  } catch {
    return 'none';
  }
}
