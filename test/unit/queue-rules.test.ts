import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { exclusive, placeIn, readQueue, semaphoreFolders } from '../../lib/recipes/queue-rules.js';

const name = (sequence: number, mark = 'lock-'): string =>
  `_c_x-${mark}${String(sequence).padStart(10, '0')}`;
const read = (children: string[]) => readQueue('/locks/k', children, ['lock-']);

describe('Queue rules', () => {
  it('should grant exactly one of any queue, and let each other one watch the one before it', () => {
    const queues = fc.uniqueArray(fc.integer({ min: 0, max: 2 ** 30 }), { minLength: 1 });
    fc.assert(
      fc.property(queues, (sequences) => {
        const queue = read(sequences.map((sequence) => name(sequence)));
        queue.forEach((node, index) => expect(placeIn(queue, node.name)).toBe(index));
        expect(placeIn(queue, `other-${queue[0]!.name}`)).toBe(-1);
        expect(placeIn(queue, 'leases')).toBe(-1);
        const turns = queue.map((_node, index) => exclusive(queue, index));
        expect(turns.filter(({ granted }) => granted)).toHaveLength(1);
        expect(queue[turns.findIndex(({ granted }) => granted)]!.sequence).toBe(Math.min(...sequences));
        turns.forEach((turn, index) => {
          expect(turn.position).toBe(index + 1);
          expect(turn.watch).toBe(queue[index - 1]);
          expect(turn.deletionGrants).toBe(index === 1);
        });
      }),
    );
  });

  it('should ignore children that are no contenders (B17)', () => {
    expect(
      read(['x', 'lock-', 'lock-abc', name(4), 'readme', name(2)]).map(({ sequence }) => sequence),
    ).toEqual([2, 4]);
  });

  it('should tell of the folders of a semaphore, which say nothing by themselves', () => {
    const children = ['leases', name(3), 'locks'];
    expect(read(children).map(({ sequence }) => sequence)).toEqual([3]);
    expect(semaphoreFolders(children)).toEqual(['leases', 'locks']);
    expect(semaphoreFolders([name(3)])).toEqual([]);
  });

  it.each([[[name(1), name(2, '__READ__')]], [[name(1), name(2, '__WRIT__')]], [[name(2, 'latch-')]]])(
    'should refuse a key with another kind of lock on it: %p (B18)',
    (children) => {
      expect(() => read(children)).toThrow(expect.objectContaining({ code: 'ZK_LOCK_CONFIG' }));
    },
  );

  it.each([
    [[name(2 ** 31 - 1)], /end of the counter/],
    [[name(3), '_c_x-lock--2147483648'], /end of the counter/],
    [[name(3), '_c_x-lock--000000005'], /end of the counter/],
    [[name(2 ** 31 - 2 ** 20)], /end of the counter/],
    [['a-lock-0000000003', 'b-lock-0000000003'], /same as that of another node/],
  ])('should trust no order of %p (B14)', (children, why) => {
    expect(() => read(children)).toThrow(expect.objectContaining({ code: 'ZK_LOCK_SEQUENCE' }));
    expect(() => read(children)).toThrow(why);
  });
});
