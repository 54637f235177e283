// The critical section of the workloads with one key. It proves mutual exclusion outside of the lock: whoever is inside has
// a directory there, over all processes and languages.
import { mkdirSync, readdirSync, rmdirSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';

const WRITER = 'writer';

export class Section {
  /** How often somebody was inside who must not be. */
  violations = 0;
  #folder;

  constructor(folder, key) {
    this.#folder = join(folder, key);
    mkdirSync(this.#folder, { recursive: true });
  }

  /** Goes in and out, alone. */
  async exclusive() {
    const leave = this.enter();
    await nextTurn(); // lets a wrongly granted holder run
    leave();
  }

  /** Goes in alone; the result goes out. */
  enter() {
    const mark = join(this.#folder, WRITER);
    const mine = isMade(mark);
    if (!mine) this.violations += 1;
    return () => mine && rmdirSync(mark);
  }

  /** Beside other readers. Each leaves its mark first and looks for the other kind then, so that one of two sees it. */
  async reading(reader) {
    const mark = join(this.#folder, `reader-${reader}`);
    if (!isMade(mark)) this.violations += 1;
    if (existsSync(join(this.#folder, WRITER))) this.violations += 1;
    await nextTurn();
    rmdirSync(mark);
  }

  /** Beside nobody. */
  async writing() {
    const leave = this.enter();
    if (readdirSync(this.#folder).some((name) => name !== WRITER)) this.violations += 1;
    await nextTurn();
    leave();
  }
}

function isMade(directory) {
  try {
    mkdirSync(directory);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}
