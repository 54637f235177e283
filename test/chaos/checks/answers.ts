import { ofKind, type ChaosRecord, type RecordOf } from '../history.js';
import { divergedKeys } from './left-over.js';
import type { Violation } from './violation.js';

/** What timers, the look at the holder for the error's text, and a busy machine may add. Stalls of the process come on top. */
const SLACK_MICROSECONDS = 3_000_000;
/** What a call may end with while ZooKeeper is out of order and the caller impatient. */
const CLEAN: ReadonlySet<string | undefined> = new Set([
  'ZK_LOCK_TIMEOUT',
  'ZK_LOCK_CONNECTION',
  'ZK_LOCK_ABORTED',
]);

type Start = RecordOf<'invoke' | 'release'>;
type End = RecordOf<'granted' | 'error' | 'released'>;

/**
 * (d) Every call was answered within its limit, every release too; the calls at the end, without faults, were granted, unless the
 * members of the ensemble disagree about the key.
 */
export function checkAnswers(history: readonly ChaosRecord[]): Violation[] {
  const stalls = ofKind(history, 'stall');
  const diverged = divergedKeys(history);
  const gone = new Set([...ofKind(history, 'killed'), ...ofKind(history, 'crashed')].map(({ of }) => of));
  const cancels = new Map(ofKind(history, 'cancel').map((cancel) => [cancel.op, cancel.at]));
  const granted = new Map<string, End>();
  const released = new Map<string, End>();
  for (const record of history) {
    if (record.kind === 'granted' || record.kind === 'error') granted.set(record.op, record);
    if (record.kind === 'released') released.set(record.op, record);
  }
  const judge = (start: Start, end: End | undefined): Violation[] => {
    if (end === undefined)
      return gone.has(start.process) ? [] : [violation(start, undefined, 'was never answered')];
    const limit = Math.min(start.limitMs * 1_000, (cancels.get(start.op) ?? Infinity) - start.at);
    const took = end.at - start.at - stalled(start, end, stalls);
    if (took <= limit + SLACK_MICROSECONDS) return [];
    return [violation(start, end, `was answered after ${ms(took)} ms (limit ${ms(limit)})`)];
  };
  return [
    ...ofKind(history, 'invoke').flatMap((start) => [
      ...judge(start, granted.get(start.op)),
      ...judgeError(start, granted.get(start.op), diverged.has(start.key)),
    ]),
    ...ofKind(history, 'release').flatMap((start) => judge(start, released.get(start.op))),
  ];
}

function judgeError(start: RecordOf<'invoke'>, end: End | undefined, diverged: boolean): Violation[] {
  if (end?.kind !== 'error') return [];
  if (!CLEAN.has(end.code)) return [violation(start, end, `ended with ${end.code}: ${end.message}`)];
  return start.final === true && !diverged
    ? [violation(start, end, `was not granted after the faults: ${end.message}`)]
    : [];
}

/** How much of the time between the two the process stood still. */
function stalled(start: Start, end: End, stalls: readonly RecordOf<'stall'>[]): number {
  return stalls
    .filter((stall) => stall.process === start.process && stall.at > start.at && stall.from < end.at)
    .reduce((sum, stall) => sum + Math.min(stall.at, end.at) - Math.max(stall.from, start.at), 0);
}

function violation(start: Start, end: End | undefined, what: string): Violation {
  const name = start.kind === 'invoke' ? 'the call' : 'the release';
  const text = `"${start.key}": ${name} of ${start.op} ${what}`;
  return {
    check: 'd',
    text,
    from: start.at,
    to: end?.at ?? start.at + start.limitMs * 1_000,
    ops: [start.op],
  };
}

function ms(micros: number): number {
  return Math.round(micros / 1_000);
}
