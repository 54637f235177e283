import { divergedKeys } from './checks/left-over.js';
import { CHECKS, type CheckName, type Violation } from './checks/violation.js';
import { ofKind, type ChaosRecord, type RecordOf } from './history.js';

const SHOWN_VIOLATIONS = 3;

/** What a run did and found, as text. */
export function report(
  history: readonly ChaosRecord[],
  violations: readonly Violation[],
  seed: number,
): string {
  const begun = ofKind(history, 'fault').filter(({ phase }) => phase === 'begin');
  const errors = countBy(ofKind(history, 'error'), ({ code }) => code ?? 'other error');
  const granted = ofKind(history, 'granted');
  const shares = countBy(granted, (grant) =>
    grant.mode === 'permit' ? `permit (${grant.permits})` : grant.mode,
  );
  const losses = countBy(ofKind(history, 'lost'), ({ reason }) => reason);
  const faults = countBy(begun, ({ fault }) => fault);
  const writes = ofKind(history, 'write');
  const refused = writes.filter(({ counter }) => counter === null).length;
  const checks = ofKind(history, 'held-check');
  const diverged = divergedKeys(history);
  const first = history[0]?.at ?? 0;
  const rows: [string, number | string][] = [
    ['seed', seed],
    ['seconds', Math.round(((history.at(-1)?.at ?? first) - first) / 1e6)],
    ['client processes started', ofKind(history, 'started').length],
    ['operations', ofKind(history, 'invoke').length],
    ['grants', granted.length],
    ...rowsOf('granted', shares),
    ...rowsOf('not granted', errors),
    ['losses', sum(losses)],
    ...rowsOf('lost', losses),
    ['isHeld() asked', checks.length],
    ['writes accepted', writes.length - refused],
    ['writes refused (stale token)', refused],
    ['faults', begun.length],
    ['kinds of fault', faults.size],
    ...rowsOf('fault', faults),
    ['keys about which the members disagree', diverged.size],
    ['violations', violations.length],
    ...Object.entries(CHECKS).map(([check, text]): [string, number] => [
      `  (${check}) ${text}`,
      violations.filter((violation) => violation.check === check).length,
    ]),
  ];
  const width = Math.max(...rows.map(([label]) => label.length)) + 2;
  const table = rows.map(([label, value]) => `${label.padEnd(width)}${String(value).padStart(8)}`);
  const phantoms = [...diverged.values()].map((nodes) => `Only some members have ${nodes.join(', ')}`);
  return [...table, ...phantoms, ...describe(history, violations, seed)].join('\n');
}

/** The first violations of each kind, each with the shortest stretch of the log that shows it. */
function describe(history: readonly ChaosRecord[], violations: readonly Violation[], seed: number): string[] {
  return (Object.keys(CHECKS) as CheckName[]).flatMap((check) =>
    violations
      .filter((violation) => violation.check === check)
      .slice(0, SHOWN_VIOLATIONS)
      .flatMap((violation) => [
        '',
        `VIOLATION (${check}), seed ${seed}: ${violation.text}`,
        ...stretch(history, violation).map((record) => `  ${line(record, violation.from)}`),
      ]),
  );
}

/** The records of the operations that take part, and the faults of that time; of checks and writes that say the same the first and the last. */
export function stretch(history: readonly ChaosRecord[], { from, to, ops }: Violation): ChaosRecord[] {
  const faults = ofKind(history, 'fault');
  const takesPart = (record: ChaosRecord): boolean => {
    if ('op' in record) return ops.includes(record.op) && record.at >= from && record.at <= to;
    if (record.kind === 'fault') return isInForce(faults, record, from, to);
    return record.kind === 'left' ? record.at === from : false;
  };
  const records = history.filter(takesPart);
  const first = new Map<string, ChaosRecord>();
  const last = new Map<string, ChaosRecord>();
  for (const record of records) {
    const saying = whatItSays(record);
    if (!first.has(saying)) first.set(saying, record);
    last.set(saying, record);
  }
  return records.filter((record) => [first, last].some((map) => map.get(whatItSays(record)) === record));
}

function whatItSays(record: ChaosRecord): string {
  if (record.kind === 'held-check') return `${record.op} ${record.held ? 'held' : 'not held'}`;
  if (record.kind === 'write') return `${record.op} ${record.counter === null ? 'refused' : 'accepted'}`;
  return JSON.stringify(record);
}

function isInForce(
  faults: readonly RecordOf<'fault'>[],
  { id }: RecordOf<'fault'>,
  from: number,
  to: number,
): boolean {
  const timeOf = (wanted: string): number | undefined =>
    faults.find((fault) => fault.id === id && fault.phase === wanted)?.at;
  return (timeOf('begin') ?? 0) <= to && (timeOf('end') ?? Infinity) >= from;
}

function line({ at, process, kind, ...rest }: ChaosRecord, from: number): string {
  const time = `${((at - from) / 1_000).toFixed(3)} ms`;
  const details = Object.entries(rest).map(([name, value]) => `${name}=${String(value)}`);
  return `${time.padStart(14)}  ${process.padEnd(8)} ${kind.padEnd(11)} ${details.join(' ')}`;
}

function rowsOf(what: string, counts: ReadonlyMap<string, number>): [string, number][] {
  return [...counts].sort().map(([name, count]) => [`  ${what}: ${name}`, count]);
}

function countBy<T>(items: readonly T[], name: (item: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(name(item), (counts.get(name(item)) ?? 0) + 1);
  return counts;
}

function sum(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((total, count) => total + count, 0);
}
