// The line that every peer's program prints in the end, whatever its language.

/** So many latencies are told at most; they stand for all of them. */
const MOST_SAMPLES = 5_000;

/**
 * @param {number} n cycles
 * @param {number[]} latencies in ms
 * @param {object} from `snapshot()` at the start of the measurement
 * @param {object} to and at its end
 * @param {object} [extra] figures of this workload alone
 */
export function reportOf(n, latencies, from, to, extra = {}) {
  const sorted = Float64Array.from(latencies).sort();
  return {
    n,
    seconds: (to.at - from.at) / 1_000,
    cpuSec: (to.cpu.user + to.cpu.system - from.cpu.user - from.cpu.system) / 1e6,
    startMs: from.epoch,
    endMs: to.epoch,
    count: sorted.length,
    samples: thinned(sorted).map((ms) => Number(ms.toFixed(4))),
    ...extra,
  };
}

/** Evenly chosen out of a sorted list, the largest always among them. */
function thinned(sorted) {
  const length = Math.min(sorted.length, MOST_SAMPLES);
  return Array.from({ length }, (_, i) => sorted[Math.ceil(((i + 1) * sorted.length) / length) - 1]);
}
