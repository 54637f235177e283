import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { ChaosEvent } from './history.js';

/** µs on the system's monotonic clock (CLOCK_MONOTONIC), which all processes of one machine share. */
export function microseconds(): number {
  return Number(process.hrtime.bigint() / 1_000n);
}

/** Writes one process's part of the log. A record is the system's as soon as `record` returns, so SIGKILL loses none. */
export class HistoryWriter {
  private readonly file: number;

  constructor(
    folder: string,
    readonly process: string,
  ) {
    this.file = openSync(join(folder, `${process}.jsonl`), 'a');
  }

  record(event: ChaosEvent, at = microseconds()): void {
    writeSync(this.file, `${JSON.stringify({ at, process: this.process, ...event })}\n`);
  }
}
