// The columns of a table: ratios first. A column is shown where some peer has a figure for it.
import { WORKLOADS } from '../workloads.mjs';

export const FIGURE_NAMES = {
  cyclesPerSec: 'cycles/s',
  p50ms: 'p50',
  drainSec: 'time to drain',
  packetsPerRelease: 'packets per release',
  cpuUsPerCycle: 'CPU per cycle',
};

const number = (name) => (figures) => (figures[name] === undefined ? undefined : shown(figures[name]));

const count = (name) => (figures) =>
  figures[name] === undefined ? undefined : String(Math.round(figures[name]));

const COLUMNS = [
  ['cycles/s', number('cyclesPerSec')],
  ['p50 ms', number('p50ms')],
  ['p95 ms', number('p95ms')],
  ['p99 ms', number('p99ms')],
  ['p99 ÷ p50', ({ p50ms, p99ms }) => (p50ms > 0 && p99ms ? shown(p99ms / p50ms) : undefined)],
  ['drained in s', number('drainSec')],
  ['writers’ p99 ms', number('writerP99ms')],
  ['packets per release', number('packetsPerRelease')],
  [
    'fewest..most of a caller',
    ({ fewest, most }) => (fewest === undefined ? undefined : `${Math.round(fewest)}..${Math.round(most)}`),
  ],
  [
    'share of a process, %',
    ({ smallestShare, largestShare }) =>
      smallestShare === undefined ? undefined : `${shown(smallestShare * 100)}..${shown(largestShare * 100)}`,
  ],
  ['starved', count('starved')],
  ['violations', count('violations')],
  ['heap per waiting caller, B', number('heapPerCaller')],
  ['heap per used key, B', number('heapPerKey')],
  ['client µs per cycle', number('cpuUsPerCycle')],
  ['client cores', number('clientCores')],
  ['server cores', number('serverCores')],
  ['other cores', number('otherCores')],
];

/**
 * @param {string} id of the workload
 * @param {object[]} rows of one workload and server, from medians.mjs
 * @returns {string[][]} heads, then a line of cells for each peer
 */
export function cellsOf(id, rows) {
  const { figure, paced = false } = WORKLOADS[id];
  const of = (name) => rows.find(({ peer }) => peer === name)?.figures[figure];
  const curator = bestOf(id, [of('curator'), of('curator-own')]);
  const raw = of('raw');
  const ratios = [
    [`${FIGURE_NAMES[figure]} ÷ Curator’s best`, ratioTo(figure, curator)],
    [`${FIGURE_NAMES[figure]} ÷ raw`, ratioTo(figure, raw)],
  ];
  const told = COLUMNS.filter(([head]) => !(paced && head === 'cycles/s'));
  const columns = [...ratios, ...told].filter(([, cell]) =>
    rows.some(({ figures }) => cell(figures) !== undefined),
  );
  const heads = ['peer', ...columns.map(([head]) => head), 'runs'];
  const lines = rows.map(({ peer, figures, runs }) => [
    figures.stuck ? `${peer} (stuck)` : peer,
    ...columns.map(([, cell]) => cell(figures) ?? '–'),
    String(runs),
  ]);
  return [heads, ...lines];
}

function ratioTo(figure, base) {
  return (figures) => (base > 0 && figures[figure] !== undefined ? shown(figures[figure] / base) : undefined);
}

/** The better one of a workload's figure; undefined when there is none. */
export function bestOf(id, values) {
  const known = values.filter((value) => value !== undefined);
  if (known.length === 0) return undefined;
  return WORKLOADS[id].better === 'more' ? Math.max(...known) : Math.min(...known);
}

/** Three significant digits are more than such measurements are worth. */
export function shown(value) {
  if (value === 0) return '0';
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en');
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}
