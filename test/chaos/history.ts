// The log of a chaos run: one JSON line per event. The checker decides from nothing else.

interface Logged {
  /** µs on the system's monotonic clock, which all processes of one machine share. */
  at: number;
  /** `c1.2` is the second life of client 1; `harness` is who makes the faults. */
  process: string;
}

interface OfOperation {
  /** One call that wants one key, unique over all processes. */
  op: string;
  key: string;
}

/** A call that wants a lock begins; it has to be answered within `limitMs`. */
export type Invoked = OfOperation & { kind: 'invoke'; limitMs: number; final?: boolean };
/** The call's signal aborts while it waits. */
export type Cancelled = OfOperation & { kind: 'cancel' };
/** What is wanted of a key: all of it, a reader's or the writer's place, or `permits` of the `limit` that there are. */
export type Share =
  { mode: 'exclusive' | 'read' | 'write' } | { mode: 'permit'; permits: number; limit: number };
/** The call has the lock; logged before anything is done with it. */
export type Granted = OfOperation & Share & { kind: 'granted'; token: string; session: string };
/** The call ended without the lock. `code` is undefined for what is no error of the library. */
export type Failed = OfOperation & { kind: 'error'; code: string | undefined; message: string };
/**
 * What `isHeld()` answered. `at` was taken *before* the call, `deadline` (same clock) after it: until then the lease could last at
 * the latest, by the answers that had come in. `aborted` is the state of the lock's signal after the call.
 */
export type HeldCheck = OfOperation & {
  kind: 'held-check';
  held: boolean;
  deadline: number;
  aborted: boolean;
};
/** A lease deadline has passed under a hold, and the turn in which the timers of that time ran is over. */
export type DeadlinePassed = OfOperation & { kind: 'deadline'; deadline: number; aborted: boolean };
/** The lock's signal aborted. */
export type Lost = OfOperation & { kind: 'lost'; reason: string };
/** The fenced register took the write, as its `counter`-th, or refused it (`counter` is null). */
export type Written = OfOperation & { kind: 'write'; token: string; counter: number | null };
/** The holder begins to give the lock back; from here on it asks no more. */
export type Release = OfOperation & { kind: 'release'; limitMs: number };
export type Released = OfOperation & { kind: 'released' };

/** The process stood still, or its event loop did, from `from` until now. */
export interface Stalled {
  kind: 'stall';
  from: number;
}
/** `killed` is logged by the harness; `crashed` is an error that nobody caught. */
export interface LifeCycle<Kind extends 'started' | 'closed' | 'killed' | 'crashed'> {
  kind: Kind;
  of: string;
  message?: string;
}
/** What the library wrote into its own log. */
export interface Said {
  kind: 'said';
  text: string;
}
export interface Fault {
  kind: 'fault';
  id: number;
  fault: string;
  target: string;
  phase: 'begin' | 'end';
}
/** All faults are over, all clients live and want nothing any more: these children of the key a member still has. */
export interface LeftOver {
  kind: 'left';
  key: string;
  member: number;
  nodes: string[];
}

export type OperationEvent =
  Invoked | Cancelled | Granted | Failed | HeldCheck | DeadlinePassed | Lost | Written | Release | Released;
export type ChaosEvent =
  | OperationEvent
  | Stalled
  | LifeCycle<'started'>
  | LifeCycle<'closed'>
  | LifeCycle<'killed'>
  | LifeCycle<'crashed'>
  | Said
  | Fault
  | LeftOver;

export type ChaosRecord = ChaosEvent & Logged;
export type RecordOf<Kind extends ChaosEvent['kind']> = Extract<ChaosRecord, { kind: Kind }>;

/** The records of one kind, in the order of the log. */
export function ofKind<Kind extends ChaosEvent['kind']>(
  history: readonly ChaosRecord[],
  kind: Kind,
): RecordOf<Kind>[] {
  return history.filter((record): record is RecordOf<Kind> => record.kind === kind);
}

/** One history of the logs of several processes, in the order of time. A line that a killed process left unfinished is left out. */
export function mergeHistories(texts: readonly string[]): ChaosRecord[] {
  const records = texts.flatMap((text) =>
    text
      .slice(0, text.lastIndexOf('\n') + 1)
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as ChaosRecord),
  );
  return records.sort((a, b) => a.at - b.at);
}
