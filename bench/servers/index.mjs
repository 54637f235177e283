// The servers that peers are measured on; each is started when the first peer needs it, and all end together.
import { execFileSync } from 'node:child_process';
import { ensurePresent } from '../../scripts/install.mjs';
import { findOrInstallZooKeeper } from '../../scripts/zookeeper/find-zookeeper.mjs';
import { ZooKeeperProcess } from '../../scripts/zookeeper/zookeeper-process.mjs';
import { ZooKeeperEnsemble } from '../../test/support/zookeeper-ensemble.ts';
import { ChildServer } from './child-server.mjs';

/** As a production server has them: ticks of two seconds, room, and the JVM's own garbage collector. */
const ZOOKEEPER = { tickTime: 2_000, maxSessionTimeout: 60_000, javaOptions: ['-Xmx1g'] };

const STARTS = {
  zk1: async () => {
    await findOrInstallZooKeeper(console.log);
    const server = await ZooKeeperProcess.start(ZOOKEEPER);
    const version = /version: ([\d.]+)/.exec(await server.fourLetter('srvr'))?.[1];
    return serverOf(server, server.connectString, () => [server.pid], `ZooKeeper ${version}`);
  },
  zk3: async () => {
    await findOrInstallZooKeeper(console.log);
    const ensemble = await ZooKeeperEnsemble.start(ZOOKEEPER);
    return serverOf(ensemble, ensemble.connectString, () => ensemble.members.map(({ pid }) => pid));
  },
  redis: async () => {
    await ensurePresent({ 'redis-server': 'redis-server' });
    const server = await ChildServer.start('redis-server', ({ port, folder }) =>
      ['--bind 127.0.0.1', `--port ${port}`, `--dir ${folder}`, '--save ', '--appendonly no'].flatMap(words),
    );
    const version = /v=([\d.]+)/.exec(output('redis-server', '--version'))?.[1];
    return serverOf(server, server.address, () => server.pids, `Redis ${version}, nothing on disk`);
  },
  etcd: async () => {
    await ensurePresent({ etcd: 'etcd-server' });
    const server = await ChildServer.start('etcd', ({ port, folder, otherPort }) => {
      const [client, other] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${otherPort}`];
      return [
        `--data-dir ${folder}/data`,
        '--log-level error',
        '--logger zap',
        `--listen-client-urls ${client}`,
        `--advertise-client-urls ${client}`,
        `--listen-peer-urls ${other}`,
        `--initial-advertise-peer-urls ${other}`,
        `--initial-cluster default=${other}`,
      ].flatMap(words);
    });
    const version = /etcd Version: ([\d.]+)/.exec(output('etcd', '--version'))?.[1];
    return serverOf(server, server.address, () => server.pids, `etcd ${version}`);
  },
  none: async () => serverOf({ [Symbol.asyncDispose]: async () => undefined }, 'none', () => []),
};

const words = (option) => option.split(' ');
const output = (command, ...args) => execFileSync(command, args, { encoding: 'utf8' });

function serverOf(disposable, address, pids, version) {
  return { address, pids, version, [Symbol.asyncDispose]: () => disposable[Symbol.asyncDispose]() };
}

export class Servers {
  #running = new Map();

  /** `zk1` (one ZooKeeper), `zk3` (three), `redis`, `etcd`, `none`. */
  async get(name) {
    if (!this.#running.has(name)) this.#running.set(name, await STARTS[name]());
    return this.#running.get(name);
  }

  /** What ran, for the page. */
  versions() {
    return [...this.#running.values()].map(({ version }) => version).filter(Boolean);
  }

  async [Symbol.asyncDispose]() {
    const running = [...this.#running.values()];
    this.#running.clear();
    await Promise.allSettled(running.map((server) => server[Symbol.asyncDispose]()));
  }
}
