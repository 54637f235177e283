// Samples of several runs, condensed: the median of each figure, and the worst of those that must be 0.

const WORST = ['violations', 'starved', 'errors'];
const NOT_FIGURES = ['workload', 'server', 'peer', 'run', 'startMs', 'endMs', 'stuck', 'shares'];

/** @returns {{ workload: string, server: string, peer: string, runs: number, figures: Record<string, number> }[]} */
export function medians(samples) {
  const groups = groupBy(samples);
  return [...groups.values()].map((group) => {
    const { workload, server, peer } = group[0];
    return { workload, server, peer, runs: group.length, figures: figuresOf(group) };
  });
}

const keyOf = ({ workload, server, peer }) => `${workload} ${server} ${peer}`;

function groupBy(samples) {
  const groups = new Map();
  for (const sample of samples) groups.set(keyOf(sample), [...(groups.get(keyOf(sample)) ?? []), sample]);
  return groups;
}

function figuresOf(group) {
  const names = Object.keys(group[0]).filter((name) => !NOT_FIGURES.includes(name));
  const figures = {};
  for (const name of names) {
    const values = group.map((sample) => sample[name]).filter((value) => typeof value === 'number');
    if (values.length > 0) figures[name] = WORST.includes(name) ? Math.max(...values) : median(values);
  }
  const shares = group.map((sample) => sample.shares).filter(Boolean);
  if (shares.length > 0) {
    figures.smallestShare = Math.min(...shares.map(([smallest]) => smallest));
    figures.largestShare = Math.max(...shares.map(([, largest]) => largest));
  }
  if (group.some(({ stuck }) => stuck)) figures.stuck = 1;
  return figures;
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return Number.isInteger(middle) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[Math.floor(middle)];
}
