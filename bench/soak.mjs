// `npm run soak [-- cycles]`: does memory stay flat while two sessions hand one lock to and fro? In each cycle one of them
// waits by its watches until the other one releases. Ends with exit code 1 when the heap grows.
import { setImmediate } from 'node:timers/promises';
import { findOrInstallZooKeeper } from '../scripts/zookeeper/find-zookeeper.mjs';
import { ZooKeeperProcess } from '../scripts/zookeeper/zookeeper-process.mjs';
import { LockClient } from '../test/support/lock-client.ts';

const CYCLES = Number(process.argv[2] ?? 100_000);
const ALLOWED_GROWTH_MB = 3;
const KEY = 'soak';

/** Runs all cycles; the heap after garbage collection at every tenth of the run, in MB. */
async function contend(holder, waiter) {
  console.log(`${CYCLES} cycles, two sessions, one key`);
  console.log('    cycles  watch events  heap after gc       rss  cycles/s');
  const heaps = [];
  let lock = await holder.client.locks.acquire(KEY);
  let startedAt = performance.now();
  for (let cycle = 1; cycle <= CYCLES; cycle += 1) {
    const [next] = await Promise.all([
      waiter.client.locks.acquire(KEY),
      waiter.watchesNodes(2).then(() => lock.release()), // its own node and the holder's
    ]);
    lock = next;
    [holder, waiter] = [waiter, holder];
    if (cycle % (CYCLES / 10) !== 0) continue;
    const perSecond = CYCLES / 10 / ((performance.now() - startedAt) / 1_000);
    heaps.push(await measure(cycle, holder.events + waiter.events, perSecond));
    startedAt = performance.now();
  }
  await lock.release();
  return heaps;
}

/** @returns {Promise<number>} the heap in MB */
async function measure(cycles, events, perSecond) {
  await setImmediate();
  globalThis.gc();
  const { heapUsed, rss } = process.memoryUsage();
  const heap = heapUsed / 2 ** 20;
  console.log(
    String(cycles).padStart(10),
    String(events).padStart(13),
    `${heap.toFixed(2)} MB`.padStart(14),
    `${(rss / 2 ** 20).toFixed(0)} MB`.padStart(9),
    perSecond.toFixed(0).padStart(9),
  );
  return heap;
}

/** The first fifth fills caches; from then on the heap has to stay where it is. */
function isFlat(heaps) {
  const growth = Math.max(...heaps.slice(2)) - heaps[1];
  console.log(
    `The heap grew by ${growth.toFixed(2)} MB after the first fifth; ${ALLOWED_GROWTH_MB} MB are allowed.`,
  );
  return growth <= ALLOWED_GROWTH_MB;
}

/** One of the two, and what its session does with watches. */
class Side {
  events = 0;
  #armed = 0;
  #onArm = () => undefined;

  constructor(client) {
    this.client = client;
    const { watches } = client.connection.connectedSession;
    const arm = watches.arm.bind(watches);
    const dispatch = watches.dispatch.bind(watches);
    watches.arm = (path) => {
      arm(path);
      this.#armed += 1;
      this.#onArm();
    };
    watches.dispatch = (event, path) => {
      this.events += 1;
      dispatch(event, path);
    };
  }

  /** Resolves when so many watches were set from now on. */
  async watchesNodes(count) {
    this.#armed = 0;
    await new Promise((resolve) => (this.#onArm = () => this.#armed === count && resolve()));
  }
}

await findOrInstallZooKeeper(console.log);
const server = await ZooKeeperProcess.start({ tickTime: 2_000 });
const options = { sessionTimeoutMs: 30_000, waitMs: 60_000 };
const sides = [];
try {
  for (let i = 0; i < 2; i += 1) sides.push(new Side(await LockClient.open(server.connectString, options)));
  process.exitCode = isFlat(await contend(...sides)) ? 0 : 1;
} finally {
  for (const { client } of sides) await client[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
}
