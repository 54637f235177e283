import { check } from './checker.js';
import type { ChaosEvent, ChaosRecord, RecordOf, Share } from './history.js';

export const MS = 1_000;
type Details<Kind extends ChaosEvent['kind']> = Partial<RecordOf<Kind>>;

/** Small histories by hand. Times are in ms; an operation `c1:7` belongs to the process `c1`. */
export const at = <Kind extends ChaosEvent['kind']>(
  ms: number,
  kind: Kind,
  op: string,
  details: Details<Kind>,
): ChaosRecord =>
  ({ at: ms * MS, process: op.split(':')[0]!, kind, op, key: 'k', ...details }) as unknown as ChaosRecord;
export const invoke = (ms: number, op: string, details: Details<'invoke'> = {}) =>
  at(ms, 'invoke', op, { limitMs: 1_000, ...details });
export const granted = (
  ms: number,
  op: string,
  token: number | bigint,
  share: Share = { mode: 'exclusive' },
) => at(ms, 'granted', op, { token: String(token), session: '0x1', ...share });
export const held = (ms: number, op: string, details: Details<'held-check'> = {}) =>
  at(ms, 'held-check', op, { held: true, deadline: (ms + 100) * MS, aborted: false, ...details });
export const wrote = (ms: number, op: string, token: number | bigint, counter: number | null) =>
  at(ms, 'write', op, { token: String(token), counter });
export const release = (ms: number, op: string) => at(ms, 'release', op, { limitMs: 1_000 });
export const released = (ms: number, op: string) => at(ms, 'released', op, {});
export const failed = (ms: number, op: string, code: string | undefined) =>
  at(ms, 'error', op, { code, message: 'm' });
export const killed = (ms: number, of: string) =>
  ({ at: ms * MS, process: 'harness', kind: 'killed', of }) satisfies ChaosRecord;
export const stall = (from: number, to: number, process: string) =>
  ({ at: to * MS, process, kind: 'stall', from: from * MS }) satisfies ChaosRecord;
export const leftAt = (member: number, ...nodes: string[]) =>
  ({ at: 9_000 * MS, process: 'harness', kind: 'left', key: 'k', member, nodes }) satisfies ChaosRecord;
export const left = (...nodes: string[]) => [leftAt(1, ...nodes), leftAt(2, ...nodes), leftAt(3, ...nodes)];

/** One operation from its call to its end. */
export const whole = (
  from: number,
  op: string,
  token: number | bigint,
  to = from + 10,
  share?: Share,
): ChaosRecord[] => [
  invoke(from - 1, op),
  granted(from, op, token, share),
  held(from + 1, op),
  held(to - 1, op),
  release(to, op),
  released(to + 1, op),
];
export const found = (...history: (ChaosRecord | ChaosRecord[])[]): string =>
  check(history.flat().sort((a, b) => a.at - b.at))
    .map((violation) => violation.check)
    .join('');
