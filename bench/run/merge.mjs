// One sample out of the reports of one or several processes.

const PERCENTILES = { p50ms: 0.5, p95ms: 0.95, p99ms: 0.99, maxms: 1 };
const SUMMED = ['n', 'cpuSec', 'errors', 'violations', 'starved', 'writers'];

/**
 * @param {object[]} reports as worker/report.mjs makes them
 * @throws {Error} when there was no cycle at all
 */
export function merged(reports) {
  const [first] = reports;
  const { samples: _samples, count: _count, said: _said, ...sample } = first;
  if (reports.every(({ n }) => n === 0)) throw new Error(first.said ?? 'no cycle came to its end');
  const sum = (name) => reports.reduce((total, report) => total + (report[name] ?? 0), 0);
  for (const name of SUMMED) if (name in first) sample[name] = sum(name);
  sample.startMs = Math.min(...reports.map(({ startMs }) => startMs));
  sample.endMs = Math.max(...reports.map(({ endMs }) => endMs));
  if ('fewest' in first) {
    sample.fewest = Math.min(...reports.map(({ fewest }) => fewest));
    sample.most = Math.max(...reports.map(({ most }) => most));
  }
  if (reports.some(({ stuck }) => stuck)) sample.stuck = true;
  if (reports.length > 1) {
    const shares = reports.map(({ n }) => n / Math.max(1, sample.n));
    sample.shares = [Math.min(...shares), Math.max(...shares)];
  }
  sample.cyclesPerSec = reports.reduce((total, { n, seconds }) => total + n / seconds, 0);
  return { ...sample, ...percentiles(reports), cpuUsPerCycle: (sample.cpuSec / sample.n) * 1e6 };
}

/** Each report's samples stand for all its latencies, so they weigh as much. */
function percentiles(reports) {
  const weighed = reports.flatMap(({ samples, count }) =>
    samples.map((ms) => ({ ms, weight: count / samples.length })),
  );
  weighed.sort((a, b) => a.ms - b.ms);
  const total = weighed.reduce((sum, { weight }) => sum + weight, 0);
  const figures = {};
  let seen = 0;
  let at = 0;
  for (const [name, part] of Object.entries(PERCENTILES)) {
    while (at < weighed.length - 1 && seen + weighed[at].weight < part * total - 1e-9)
      seen += weighed[at++].weight;
    figures[name] = weighed[at]?.ms ?? null;
  }
  return figures;
}
