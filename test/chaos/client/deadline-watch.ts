import { microseconds, type HistoryWriter } from '../history-writer.js';
import type { RecordedLease } from './lease-recorder.js';

/** A timer of Node may be late by a part of a ms, and one that was early is set again: in 5 ms all that were due have run. */
const MARGIN_MICROSECONDS = 5_000;

interface Watched {
  op: string;
  key: string;
  signal: AbortSignal;
}

/**
 * Looks at the lock's signal as soon as the turn is over in which timers ran after the lease deadline, and logs what it sees. The
 * returned function ends the watch.
 */
export function watchDeadline(
  { op, key, signal }: Watched,
  lease: RecordedLease,
  log: HistoryWriter,
): () => void {
  let over = false;
  let timer: NodeJS.Timeout;
  const arm = (): void => {
    const wait = lease.deadline + MARGIN_MICROSECONDS - microseconds();
    timer = setTimeout(look, Math.max(1, Math.ceil(wait / 1_000)));
  };
  const look = (): void => {
    const { deadline } = lease;
    if (microseconds() < deadline + MARGIN_MICROSECONDS) {
      arm();
      return;
    }
    setImmediate(() => {
      if (!over) log.record({ kind: 'deadline', op, key, deadline, aborted: signal.aborted });
      over = true;
    });
  };
  arm();
  return () => {
    over = true;
    clearTimeout(timer);
  };
}
