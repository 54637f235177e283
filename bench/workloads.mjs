// What is measured. A cycle is acquire, section, release. The programs of the peers know a workload by its `program`.

/**
 * @typedef {object} Workload
 * @property {string} title
 * @property {string} program what a peer's program runs
 * @property {Record<string, number>} [settings] told to the program
 * @property {number} [processes] default 1
 * @property {'more' | 'less'} better which way `figure` is better
 * @property {string} figure what peers are compared by
 * @property {string} latency what the percentiles are of
 * @property {boolean} [paced] it has pauses of its own, so cycles per second tell nothing
 * @property {boolean} [ensemble] also measured on three nodes
 */

const drain = (waiters) => ({
  title: `deep queue: ${waiters.toLocaleString('en')} callers of 20 processes wait on one key; time until all have had it`,
  program: 'drain',
  settings: { callers: waiters / 20, settle: Math.max(3, waiters / 200) },
  processes: 20,
  figure: 'drainSec',
  better: 'less',
  latency: 'from the first release to the grant',
});

/** @type {Record<string, Workload>} */
export const WORKLOADS = {
  W1: {
    title: 'one caller, one key, one cycle after the other',
    program: 'sequential',
    figure: 'p50ms',
    better: 'less',
    latency: 'a cycle',
    ensemble: true,
  },
  W2: {
    title: '100 callers in one process, each on its own key',
    program: 'apart',
    figure: 'cyclesPerSec',
    better: 'more',
    latency: 'a cycle',
  },
  W3: {
    title: '100 callers in one process on one key',
    program: 'together',
    figure: 'cyclesPerSec',
    better: 'more',
    latency: 'acquire',
    ensemble: true,
  },
  W4: {
    title: '4 processes of 25 callers on one key',
    program: 'together',
    settings: { callers: 25, warmup: 10 }, // each process has few cycles, and a compiler of its own
    processes: 4,
    figure: 'cyclesPerSec',
    better: 'more',
    latency: 'acquire',
    ensemble: true,
  },
  W5: {
    title: 'hand-off between two sessions',
    program: 'handoff',
    figure: 'p50ms',
    better: 'less',
    latency: 'from the call of release to the grant of who waits',
    paced: true,
    ensemble: true,
  },
  W6: {
    title: '100 sessions wait on one key and hold it for 50 ms, one after the other',
    program: 'herd',
    figure: 'packetsPerRelease',
    better: 'less',
    latency: 'from the call of release to the next grant',
    paced: true,
  },
  W7: {
    title: '100 callers in one process on one key, 95 % readers',
    program: 'readers',
    figure: 'cyclesPerSec',
    better: 'more',
    latency: 'acquire',
  },
  'W8/500': drain(500),
  'W8/1000': drain(1_000),
  'W8/2000': drain(2_000),
  W9: {
    title: '10,000 different keys, one after the other, none of them used before',
    program: 'cold',
    figure: 'cyclesPerSec',
    better: 'more',
    latency: 'a cycle',
  },
  W10: {
    title: 'memory and CPU: callers that wait, keys that were used, cycles',
    program: 'footprint',
    settings: { callers: 2_000 },
    figure: 'cpuUsPerCycle',
    better: 'less',
    latency: 'a cycle',
  },
};

/** The workloads that a name on the command line means: `W8` is all of `W8/…`. */
export function workloadsNamed(name) {
  return Object.keys(WORKLOADS).filter((id) => id === name || id.startsWith(`${name}/`));
}
