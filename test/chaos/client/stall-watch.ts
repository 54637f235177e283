import { microseconds, type HistoryWriter } from '../history-writer.js';

const BEAT_MS = 50;
/** A beat that is late by more than this is logged. */
const LATE_MICROSECONDS = 100_000;

/** Logs when the event loop or the whole process stood still: what had to happen in that time could not. */
export function watchStalls(log: HistoryWriter): void {
  let last = microseconds();
  setInterval(() => {
    const now = microseconds();
    if (now - last > BEAT_MS * 1_000 + LATE_MICROSECONDS) log.record({ kind: 'stall', from: last }, now);
    last = now;
  }, BEAT_MS).unref();
}
