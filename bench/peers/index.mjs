// Who is measured. A peer in JavaScript is a module of this folder, run by worker/main.mjs; the others are programs that take
// the same arguments and print the same line.
import { curatorCommand } from './curator/curator.mjs';
import { kazooCommand } from './kazoo/kazoo.mjs';

/**
 * @typedef {object} Peer
 * @property {string} what
 * @property {'zookeeper' | 'redis' | 'etcd' | 'none'} server
 * @property {string} [module] a file of this folder; its `peer(settings)` hands back `{ pollMs, open(server) }`
 * @property {object} [settings] for the module
 * @property {(folder: string) => Promise<string[]>} [program] in place of a module: installs what it needs, compiles into the
 *   folder what has to be compiled, and hands back the command to run
 * @property {string[]} [only] the programs (see workloads.mjs) that it runs; default: all
 * @property {string[]} [not] those that it does not run
 * @property {boolean} [needsPackages] the npm packages of npm/package.json
 * @property {boolean} [byNameOnly] measured only when it is named
 */

const HOT = ['together', 'drain'];
const READ_WRITE = ['readers'];
const ZOOKEEPER_ONLY = ['herd'];
const IN_JAVASCRIPT_ONLY = ['footprint'];

const ours = (what, settings, rest = {}) => ({
  what,
  server: 'zookeeper',
  module: 'ours.mjs',
  settings,
  ...rest,
});
const redis = (what, module, settings, rest = {}) => ({
  what,
  server: 'redis',
  module,
  settings,
  needsPackages: true,
  not: [...ZOOKEEPER_ONLY, ...READ_WRITE],
  ...rest,
});

/** @type {Record<string, Peer>} */
export const PEERS = {
  ours: ours('`withLock`, default options', { api: 'withLock' }),
  'ours-confirmed': ours(
    '`acquire`, then `await lock.release()`',
    { api: 'acquire' },
    { not: ['drain', 'herd'] },
  ),
  'ours-linger': ours(
    '`withLock`, `lingerMs: 1000`',
    { api: 'withLock', options: { lingerMs: 1_000 } },
    { not: ['herd'] },
  ),
  'ours-strict': ours(
    '`withLock`, `handoff: false`: a node for each caller',
    { api: 'withLock', options: { handoff: false } },
    { only: [...HOT, ...READ_WRITE] },
  ),
  curator: {
    what: 'Curator, InterProcessMutex shared by the threads of a process',
    server: 'zookeeper',
    program: curatorCommand,
    not: IN_JAVASCRIPT_ONLY,
  },
  'curator-own': {
    what: 'Curator, an instance for each thread',
    server: 'zookeeper',
    program: curatorCommand,
    only: [...HOT, ...READ_WRITE],
  },
  kazoo: {
    what: 'kazoo, Lock',
    server: 'zookeeper',
    program: kazooCommand,
    // in 2.8 a reader waits for writers that queue behind it, and they for the reader: nobody goes on
    not: [...ZOOKEEPER_ONLY, ...READ_WRITE, ...IN_JAVASCRIPT_ONLY],
  },
  raw: {
    what: 'the `zookeeper` package with the fewest requests, no safety',
    server: 'zookeeper',
    module: 'raw.mjs',
    not: READ_WRITE,
  },
  'raw-naive': {
    what: 'one ephemeral node that every waiter watches',
    server: 'zookeeper',
    module: 'raw-naive.mjs',
    only: ['herd'],
  },
  queue: {
    what: 'a promise queue in memory: the limit of any library in one process',
    server: 'none',
    module: 'queue.mjs',
    only: ['together'],
  },
  redlock: redis('redlock on Redis, its own retry delay (200 ± 100 ms)', 'npm/redlock.mjs', {}),
  'redlock-fast': redis(
    'redlock on Redis, retry delay 20 ± 10 ms',
    'npm/redlock.mjs',
    { retryDelay: 20, retryJitter: 10 },
    { only: [...HOT, 'handoff'] },
  ),
  murlock: redis('murlock on Redis, polling every 20 ms', 'npm/murlock.mjs', { wait: 20 }),
  etcd3: {
    what: 'etcd3, retried every 20 ± 10 ms',
    server: 'etcd',
    module: 'npm/etcd3.mjs',
    settings: { retryDelay: 20, retryJitter: 10 },
    needsPackages: true,
    not: [...ZOOKEEPER_ONLY, ...READ_WRITE, 'drain', ...IN_JAVASCRIPT_ONLY],
  },
  none: {
    what: 'no lock at all: its violations have to be seen',
    server: 'none',
    module: 'none.mjs',
    only: ['together', ...READ_WRITE],
    byNameOnly: true,
  },
};

/** Whether a peer takes part in a workload; a peer that lives in one process cannot in one of several. */
export function takesPart(peer, { program, processes = 1 }) {
  if (peer.module === 'queue.mjs' && processes > 1) return false;
  return (peer.only?.includes(program) ?? true) && !peer.not?.includes(program);
}
