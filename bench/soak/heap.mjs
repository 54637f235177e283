// What is left of the heap after garbage collection, and whether that stays where it is.
import { setImmediate } from 'node:timers/promises';

const ALLOWED_GROWTH_MB = 3;

/** Prints a line for each look, and judges in the end. Needs `--expose-gc`. */
export class HeapLog {
  #heaps = [];
  #last = performance.now();

  /** @param {string} unit what is counted */
  constructor(unit) {
    console.log(`${unit.padStart(14)}  heap after gc       rss       per s`);
  }

  /**
   * @param {number} done so many in all
   * @param {number} since so many since the last look
   */
  async look(done, since) {
    const perSecond = since / ((performance.now() - this.#last) / 1_000);
    await setImmediate();
    globalThis.gc();
    const { heapUsed, rss } = process.memoryUsage();
    const heap = heapUsed / 2 ** 20;
    this.#heaps.push(heap);
    console.log(
      String(done).padStart(14),
      `${heap.toFixed(2)} MB`.padStart(14),
      `${(rss / 2 ** 20).toFixed(0)} MB`.padStart(9),
      perSecond.toFixed(0).padStart(11),
    );
    this.#last = performance.now();
  }

  /** The first fifth fills caches; from then on the heap has to stay where it is. */
  isFlat() {
    const settled = Math.ceil(this.#heaps.length / 5);
    const growth = Math.max(...this.#heaps.slice(settled)) - this.#heaps[settled - 1];
    console.log(
      `The heap grew by ${growth.toFixed(2)} MB after the first fifth; ${ALLOWED_GROWTH_MB} MB are allowed.\n`,
    );
    return growth <= ALLOWED_GROWTH_MB;
  }
}
