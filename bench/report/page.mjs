// docs/performance.md: what is between its markers is made of the results, the rest is written by hand.
import { readFileSync, writeFileSync } from 'node:fs';
import { format } from 'prettier';
import { PEERS } from '../peers/index.mjs';
import { WORKLOADS } from '../workloads.mjs';
import { chart } from './chart.mjs';
import { FIGURE_NAMES } from './columns.mjs';
import { medians } from './medians.mjs';
import { markdown, tablesOf } from './table.mjs';

const PAGE = new URL('../../docs/performance.md', import.meta.url);
const CHART = new URL('../../docs/performance.svg', import.meta.url);
const LATEST = new URL('../results/latest.json', import.meta.url);
const MARKERS = ['<!-- results: made by npm run bench -->', '<!-- end of results -->'];
const CHARTED = ['W1', 'W2', 'W3', 'W4', 'W5'];
/** Cycles are what everyone understands; a hand-over is a latency. */
const CHARTED_FIGURE = { W5: 'p50ms' };

/** Writes the page, its chart, and the figures that both are made of. */
export async function writePage(results) {
  writeFileSync(LATEST, `${JSON.stringify(results)}\n`);
  writeFileSync(CHART, chart(groupsOf(results)));
  const page = readFileSync(PAGE, 'utf8');
  const [from, to] = MARKERS.map((marker) => page.indexOf(marker));
  if (from < 0 || to < from) throw new Error(`docs/performance.md lacks ${MARKERS.join(' or ')}`);
  const head = page.slice(0, from + MARKERS[0].length);
  const text = `${head}\n\n${sections(results)}\n\n${page.slice(to)}`;
  const options = JSON.parse(readFileSync(new URL('../../.prettierrc.json', import.meta.url), 'utf8'));
  writeFileSync(PAGE, await format(text, { ...options, parser: 'markdown' }));
}

function sections(results) {
  const tables = tablesOf(results).map(
    ({ title, latency, cells }) => `### ${title}\n\nLatency: ${latency}.\n\n${markdown(cells)}`,
  );
  return [
    context(results),
    '![Cycles per second of each peer](performance.svg)',
    'Green: this library. The bars grow with the logarithm of the figure.',
    peersOf(results),
    ...tables,
  ].join('\n\n');
}

function context({ machine, runs, settings }) {
  const { at, cpu, memoryGiB, system, node, java, servers, fsync } = machine;
  const changed = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  return [
    `Measured on ${at}: ${cpu}, ${memoryGiB} GiB, ${system}, Node.js ${node}, Java: ${java}; ${servers.join(', ')};`,
    `servers and clients on one machine, ${fsync ? 'with fsync on a disk' : 'data in memory, so that fsync costs nothing'};`,
    `medians of ${runs} ${runs === 1 ? 'run' : 'runs'}.`,
    ...(changed.length > 0 ? [`Shortened: ${changed.join(', ')}.`] : []),
  ].join(' ');
}

function peersOf({ samples }) {
  const measured = new Set(samples.map(({ peer }) => peer));
  const known = Object.entries(PEERS).filter(([name]) => measured.has(name));
  return markdown([['peer', 'what it is'], ...known.map(([name, { what }]) => [name, what])]);
}

function groupsOf({ samples }) {
  const rows = medians(samples).filter(({ server }) => server !== 'zk3');
  return CHARTED.flatMap((id) => {
    const figure = CHARTED_FIGURE[id] ?? 'cyclesPerSec';
    const bars = rows
      .filter(({ workload, figures }) => workload === id && figures[figure] > 0)
      .map(({ peer, figures }) => ({ name: peer, value: figures[figure], own: peer.startsWith('ours') }));
    if (bars.length === 0) return [];
    const lessIsBetter = figure === 'p50ms';
    bars.sort((a, b) => (lessIsBetter ? a.value - b.value : b.value - a.value));
    const unit = lessIsBetter ? 'p50 in ms, less is better' : `${FIGURE_NAMES[figure]}, more is better`;
    return [{ title: `${id}: ${WORKLOADS[id].title}`, unit, bars }];
  });
}
