import { describe, expect, it } from '@jest/globals';
import { check } from './checker.js';
import {
  MS,
  at,
  failed,
  found,
  granted,
  held,
  invoke,
  killed,
  left,
  leftAt,
  release,
  released,
  stall,
  whole,
  wrote,
} from './hand-written.js';
import { mergeHistories, type ChaosRecord } from './history.js';
import { report, stretch } from './report.js';

describe('The checker', () => {
  it('should find nothing in a history in which all went well', () => {
    expect(found(whole(0, 'c1:1', 1), whole(20, 'c2:1', 2), whole(40, 'c1:2', 3), left())).toBe('');
  });

  describe('(a) of the register', () => {
    it('should let the same token write again, and pass over refused writes', () => {
      const writes = [wrote(3, 'c1:1', 5, 1), wrote(4, 'c1:1', 5, 2), wrote(5, 'c2:1', 4, null)];
      expect(found(whole(0, 'c1:1', 5), writes)).toBe('');
    });

    it('should find a write that was accepted after one with a newer token, in the order of the register', () => {
      const writes = [wrote(3, 'c2:1', 4, 2), wrote(4, 'c1:1', 5, 1)]; // the log has them the other way round
      expect(found(writes)).toBe('a');
    });

    it('should compare tokens beyond 2^53 exactly', () => {
      expect(found(wrote(3, 'c1:1', 2n ** 53n + 1n, 1), wrote(4, 'c2:1', 2n ** 53n, 2))).toBe('a');
    });

    it('should find two writes with one number', () => {
      expect(found(wrote(3, 'c1:1', 5, 1), wrote(4, 'c2:1', 6, 1))).toBe('a');
    });
  });

  describe('(b) of the tokens', () => {
    it('should find a token that was given twice', () => {
      expect(found(whole(0, 'c1:1', 1), whole(20, 'c2:1', 1))).toBe('b');
    });

    it('should find a token that fell between one who held for certain and the next', () => {
      expect(found(whole(0, 'c1:1', 7), invoke(1, 'c2:1'), whole(20, 'c2:1', 6).slice(1))).toBe('b');
    });

    it('should find a token that fell between one who was granted and one who asked later', () => {
      expect(found(invoke(0, 'c1:1'), granted(1, 'c1:1', 7), whole(20, 'c2:1', 6), killed(2, 'c1'))).toBe(
        'b',
      );
    });

    it('should not blame a process that was stopped between its grant and the line in its log', () => {
      const stopped = [
        invoke(0, 'c1:1'),
        granted(500, 'c1:1', 1),
        held(501, 'c1:1', { held: false, aborted: true }),
      ];
      const ended = [release(502, 'c1:1'), released(503, 'c1:1')];
      expect(found(stopped, ended, invoke(2, 'c2:1'), whole(20, 'c2:1', 2).slice(1))).toBe('');
    });

    it('should keep the keys apart', () => {
      const other = whole(20, 'c2:1', 1).map((record) => ({ ...record, key: 'other' }) as ChaosRecord);
      expect(found(whole(0, 'c1:1', 1), other)).toBe('');
    });
  });

  describe('(c) of exclusion', () => {
    it('should find two who held at one time, also when the overlap is small', () => {
      expect(found(whole(0, 'c1:1', 1, 30.002), whole(29, 'c2:1', 2))).toBe('c');
    });

    it('should find one who held inside the time of another', () => {
      expect(found(whole(0, 'c1:1', 1, 100), whole(20, 'c2:1', 2), whole(40, 'c3:1', 3))).toBe('cc');
    });

    it('should take the last time at which it was held, not the release', () => {
      const stopped = [invoke(0, 'c1:1'), granted(1, 'c1:1', 1), held(2, 'c1:1')];
      const late = [
        held(90, 'c1:1', { held: false, aborted: true }),
        release(91, 'c1:1'),
        released(92, 'c1:1'),
      ];
      expect(found(stopped, whole(20, 'c2:1', 2), late)).toBe('');
    });
  });

  describe('(d) of answers', () => {
    it('should find a call that was not answered, unless its process was killed', () => {
      expect(found(invoke(0, 'c1:1'))).toBe('d');
      expect(found(invoke(0, 'c1:1'), killed(10, 'c1'))).toBe('');
    });

    it('should find an answer beyond the limit, and leave out the time in which the process stood still', () => {
      expect(found(invoke(0, 'c1:1'), failed(5_000, 'c1:1', 'ZK_LOCK_TIMEOUT'))).toBe('d');
      const answered = [invoke(0, 'c1:1'), failed(5_000, 'c1:1', 'ZK_LOCK_TIMEOUT')];
      expect(found(answered, stall(1_000, 4_000, 'c1'))).toBe('');
      expect(found(answered, stall(1_000, 4_000, 'c2'))).toBe('d');
    });

    it('should find a cancelled call that went on', () => {
      const cancel = at(10, 'cancel', 'c1:1', {});
      expect(
        found(invoke(0, 'c1:1', { limitMs: 60_000 }), cancel, failed(20, 'c1:1', 'ZK_LOCK_ABORTED')),
      ).toBe('');
      expect(
        found(invoke(0, 'c1:1', { limitMs: 60_000 }), cancel, failed(9_000, 'c1:1', 'ZK_LOCK_ABORTED')),
      ).toBe('d');
    });

    it('should find an error that no caller should see', () => {
      expect(found(invoke(0, 'c1:1'), failed(1, 'c1:1', undefined))).toBe('d');
      expect(found(invoke(0, 'c1:1'), failed(1, 'c1:1', 'ZK_LOCK_SEQUENCE'))).toBe('d');
    });

    it('should find a call that was not granted after the end of the faults', () => {
      expect(found(invoke(0, 'c1:1', { final: true }), failed(1, 'c1:1', 'ZK_LOCK_TIMEOUT'))).toBe('d');
    });

    it('should find a release that did not end', () => {
      expect(found(whole(0, 'c1:1', 1).slice(0, -1))).toBe('d');
      expect(found(whole(0, 'c1:1', 1).slice(0, -1), released(9_000, 'c1:1'))).toBe('d');
    });
  });

  it('(e) should find nodes that are left behind', () => {
    expect(found(left('_c_x-lock-0000000001 of c1:1'))).toBe('e');
  });

  it('(d, e) should not blame the library for a node that only some members of the ensemble have', () => {
    const node = '_c_x-lock-0000000001 of c1:1';
    const inVain = [invoke(0, 'c2:1', { final: true }), failed(1, 'c2:1', 'ZK_LOCK_TIMEOUT')];
    expect(found(inVain, leftAt(1), leftAt(2, node), leftAt(3))).toBe('');
    expect(found(inVain, left(node))).toBe('de');
  });

  describe('(f) of the lease', () => {
    const start = [invoke(0, 'c1:1'), granted(1, 'c1:1', 1), release(190, 'c1:1'), released(191, 'c1:1')];

    it('should find a lock that was held past its deadline', () => {
      expect(found(start, held(100, 'c1:1', { deadline: 100 * MS }))).toBe('');
      expect(found(start, held(100.001, 'c1:1', { deadline: 100 * MS }))).toBe('f');
    });

    it('should find a lock that came back', () => {
      expect(found(start, held(50, 'c1:1', { held: false, aborted: true }), held(60, 'c1:1'))).toBe('f');
    });

    it('should find a signal that did not come with the loss', () => {
      expect(found(start, held(50, 'c1:1', { held: false, aborted: false }))).toBe('f');
      expect(found(start, at(106, 'deadline', 'c1:1', { deadline: 100 * MS, aborted: false }))).toBe('f');
      expect(found(start, at(106, 'deadline', 'c1:1', { deadline: 100 * MS, aborted: true }))).toBe('');
    });
  });

  it('(x) should find a client that ended by an error', () => {
    expect(found({ at: 1, process: 'harness', kind: 'crashed', of: 'c1.1', message: 'TypeError' })).toBe('x');
  });
});

describe('The history', () => {
  it('should be merged by time, without a line that a killed process left unfinished', () => {
    const line = (record: ChaosRecord) => `${JSON.stringify(record)}\n`;
    const merged = mergeHistories([
      line(killed(3, 'c1')) + line(leftAt(1)),
      `${line(killed(2, 'c2'))}{"at":1,"pro`,
      '',
    ]);
    expect(merged.map(({ kind, at: time }) => [kind, time])).toEqual([
      ['killed', 2_000],
      ['killed', 3_000],
      ['left', 9_000_000],
    ]);
  });
});

describe('The report', () => {
  const fault = (ms: number, id: number, phase: 'begin' | 'end') =>
    ({
      at: ms * MS,
      process: 'harness',
      kind: 'fault',
      id,
      fault: 'delays',
      target: 'c1',
      phase,
    }) satisfies ChaosRecord;
  const overlap = [
    fault(-50, 1, 'begin'),
    fault(-40, 1, 'end'),
    fault(-30, 2, 'begin'),
    ...whole(0, 'c1:1', 1, 100),
    ...[10, 20, 30, 40].map((ms) => held(ms, 'c1:1')),
    ...whole(50, 'c2:1', 2),
    ...whole(300, 'c3:1', 3),
    fault(400, 2, 'end'),
  ].sort((a, b) => a.at - b.at);

  it('should count what happened and name the seed of a failure', () => {
    const text = report(overlap, check(overlap), 4711);
    expect(text).toMatch(/operations +3\n/);
    expect(text).toMatch(/grants +3\n +granted: exclusive +3\n/);
    expect(text).toMatch(/faults +2\nkinds of fault +1\n/);
    expect(text).toMatch(/violations +1\n/);
    expect(text).toContain('VIOLATION (c), seed 4711: c1:1 and c2:1 both held "k" for 9000 µs');
  });

  it('should show the shortest stretch of the log around a violation', () => {
    const [violation] = check(overlap);
    expect(stretch(overlap, violation!).map((record) => `${record.at / MS} ${record.kind}`)).toEqual([
      '-30 fault',
      '0 granted',
      '1 held-check',
      '40 held-check',
      '49 invoke',
      '50 granted',
      '51 held-check',
      '59 held-check',
      '400 fault',
    ]);
  });
});
