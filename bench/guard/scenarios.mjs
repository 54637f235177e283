// What the guard measures: ways through the library that everyone takes, each as a cycle that is run again and again.
import { setTimeout as sleep } from 'node:timers/promises';

/** What a waiter gets to queue up before the holder releases: plenty, or it counts as free of contention, which costs less. */
const QUEUE_UP_MS = 20;
const CALLERS = 100;
const PERMITS = 3;

/**
 * @typedef {object} Scenario
 * @property {number} perCycle how many locks are taken and given back in one cycle
 * @property {number} warmup cycles before anything is measured
 * @property {number} cycles in one measurement
 * @property {(locks: LockService[], key: string) => () => Promise<void>} cycle
 */

const nothing = () => undefined;

const takeAndGiveBack = (acquire) => async () => {
  const lock = await acquire();
  await lock.release();
};

/** @type {Record<string, Scenario>} */
export const SCENARIOS = {
  'a free lock': {
    perCycle: 1,
    warmup: 300,
    cycles: 200,
    cycle: ([locks], key) => takeAndGiveBack(() => locks.acquire(key)),
  },
  'handed over between two sessions': {
    perCycle: 1,
    warmup: 60,
    cycles: 40,
    cycle: ([a, b], key) => {
      let [holder, waiter] = [a, b];
      let held = holder.acquire(key);
      return async () => {
        const lock = await held;
        held = waiter.acquire(key);
        await sleep(QUEUE_UP_MS);
        await lock.release();
        await held;
        [holder, waiter] = [waiter, holder];
      };
    },
  },
  '100 callers on one key': {
    perCycle: CALLERS,
    warmup: 6,
    cycles: 3,
    cycle:
      ([locks], key) =>
      async () => {
        await Promise.all(Array.from({ length: CALLERS }, () => locks.withLock(key, nothing)));
      },
  },
  'a free read lock': {
    perCycle: 1,
    warmup: 300,
    cycles: 200,
    cycle: ([locks], key) => takeAndGiveBack(() => locks.acquire(key, { mode: 'read' })),
  },
  'a permit of a semaphore': {
    perCycle: 1,
    warmup: 200,
    cycles: 150,
    cycle: ([locks], key) => takeAndGiveBack(() => locks.acquire(key, { permits: PERMITS })),
  },
};

export async function repeat(times, cycle) {
  for (let i = 0; i < times; i += 1) await cycle();
}
