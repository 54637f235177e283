import { describe, expect, it } from '@jest/globals';
import { found, killed, whole } from './hand-written.js';

describe('The checker', () => {
  describe('(b, c) of read/write locks', () => {
    const reader = (from: number, op: string, to: number, token = 9) =>
      whole(from, op, token, to, { mode: 'read' });
    const writer = (from: number, op: string, to: number, token = 1) =>
      whole(from, op, token, to, { mode: 'write' });

    it('should let readers be together, and writers come one after the other', () => {
      expect(found(reader(0, 'c1:1', 30), reader(10, 'c2:1', 50), writer(60, 'c3:1', 70))).toBe('');
    });

    it('should find a writer beside a writer, a reader beside a writer, and a writer beside a reader', () => {
      expect(found(writer(0, 'c1:1', 30), writer(20, 'c2:1', 40, 2))).toBe('c');
      expect(found(writer(0, 'c1:1', 30), reader(20, 'c2:1', 40))).toBe('c');
      expect(found(reader(0, 'c1:1', 30), writer(20, 'c2:1', 40))).toBe('c');
    });

    it('should find a writer beside a reader that came long before others', () => {
      expect(found(reader(0, 'c1:1', 90), reader(10, 'c2:1', 20), writer(50, 'c3:1', 60))).toBe('c');
      expect(found(writer(0, 'c1:1', 90), reader(10, 'c2:1', 20), reader(50, 'c3:1', 60))).toBe('cc');
    });

    it('should want an order of the tokens of writers only', () => {
      expect(found(reader(0, 'c1:1', 10, 9), reader(20, 'c2:1', 30, 9), writer(40, 'c3:1', 50, 5))).toBe('');
      expect(found(writer(0, 'c1:1', 10, 9), reader(20, 'c2:1', 30, 7), writer(40, 'c3:1', 50, 5))).toBe('b');
    });
  });

  describe('(b, c) of semaphores', () => {
    const permits = (count: number, from: number, op: string, to: number) =>
      whole(from, op, 1, to, { mode: 'permit', permits: count, limit: 3 });

    it('should let as many permits be held as there are, with any tokens', () => {
      expect(found(permits(2, 0, 'c1:1', 30), permits(1, 10, 'c2:1', 50), permits(2, 30, 'c3:1', 40))).toBe(
        '',
      );
    });

    it('should find one permit too many, and count those who have two twice', () => {
      const three = [permits(1, 0, 'c1:1', 90), permits(1, 10, 'c2:1', 80), permits(1, 20, 'c3:1', 70)];
      expect(found(...three)).toBe('');
      expect(found(...three, permits(1, 68, 'c4:1', 100))).toBe('c');
      expect(found(permits(2, 0, 'c1:1', 30), permits(2, 28.999, 'c2:1', 50))).toBe('c');
    });

    it('should not count a permit after the last time at which it was held for certain', () => {
      expect(found(permits(2, 0, 'c1:1', 30).slice(0, 3), killed(40, 'c1'), permits(2, 2, 'c2:1', 9))).toBe(
        '',
      );
    });
  });
});
