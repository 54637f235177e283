// Many callers in one process, for a while: each on its own key, or all on one.
import { now, snapshot } from './clock.mjs';
import { reportOf } from './report.mjs';
import { Section } from './section.mjs';
import { Window } from './window.mjs';

const nothing = async () => undefined;
const READ = { mode: 'read' };
const WRITE = { mode: 'write' };
/** One cycle of so many of each caller is a writer's. */
const WRITES_ONE_IN = 20;
/** How long callers may still take after the end. */
const PATIENCE_MS = 10_000;

/** The latency is that of a whole cycle. */
export async function apart(bench) {
  const { key, callers } = bench.settings;
  const keys = Array.from({ length: callers }, (_, caller) => `${key}-${caller}`);
  const session = await opened(bench, keys);
  return contend(bench, async (caller) => {
    const startedAt = now();
    await session.withLock(keys[caller], nothing);
    return [startedAt, now()];
  });
}

/** The latency is that of acquire. */
export async function together(bench) {
  const { key, folder } = bench.settings;
  const session = await opened(bench, [key]);
  const section = new Section(folder, key);
  const report = await contend(bench, async () => {
    const startedAt = now();
    let grantedAt = 0;
    await session.withLock(key, () => {
      grantedAt = now();
      return section.exclusive();
    });
    return [startedAt, grantedAt];
  });
  return { ...report, violations: section.violations };
}

/** Readers beside each other, and now and then a writer alone. */
export async function readers(bench) {
  const { key, folder } = bench.settings;
  const session = await opened(bench, [key]);
  const section = new Section(folder, key);
  const writing = [];
  const report = await contend(bench, async (caller, cycle) => {
    const writes = (caller + cycle) % WRITES_ONE_IN === 0;
    const startedAt = now();
    let grantedAt = 0;
    const run = () => {
      grantedAt = now();
      return writes ? section.writing() : section.reading(caller);
    };
    await session.withLock(key, run, writes ? WRITE : READ);
    if (writes) writing.push(grantedAt - startedAt);
    return [startedAt, grantedAt];
  });
  writing.sort((a, b) => a - b);
  const writerP99ms = writing[Math.ceil(writing.length * 0.99) - 1];
  return { ...report, violations: section.violations, writers: writing.length, writerP99ms };
}

async function opened(bench, keys) {
  const session = await bench.connect();
  await session.prepare?.(keys);
  await bench.ready();
  return session;
}

/** @param {(caller: number, cycle: number) => Promise<[number, number]>} cycle when its latency began, and ended */
async function contend({ settings }, cycle) {
  const { callers, seconds, warmup, max } = settings;
  const window = new Window({ seconds, warmup, max });
  const latencies = [];
  const served = new Array(callers).fill(0);
  let errors = 0;
  const caller = async (who) => {
    for (let i = 0; !window.isOver(); i += 1) {
      try {
        const [startedAt, endedAt] = await cycle(who, i);
        if (window.counts()) served[who] += 1;
        if (startedAt >= window.begin) latencies.push(endedAt - startedAt);
      } catch (error) {
        errors += 1;
        if (errors === 1) console.error(error);
        await new Promise(setImmediate); // or errors without a wait would let nobody else run
      }
    }
  };
  const stuck = await isStuck(Promise.all(served.map((_, who) => caller(who))), window);
  const { from, to } = window.close();
  return reportOf(window.n, latencies, from ?? snapshot(), to, {
    starved: served.filter((count) => count === 0).length,
    fewest: Math.min(...served),
    most: Math.max(...served),
    errors,
    ...(stuck && { stuck }),
  });
}

/** Whether some callers had not come back long after the end. */
async function isStuck(all, window) {
  let timer;
  const tooLate = new Promise((resolve) => {
    timer = setTimeout(resolve, window.end - now() + PATIENCE_MS, true);
  });
  const stuck = await Promise.race([all.then(() => false), tooLate]);
  clearTimeout(timer);
  return stuck;
}
