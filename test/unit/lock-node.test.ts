import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bySequence, isTrusted, MARKS, newProtection, parseLockNode } from '../../lib/recipes/lock-node.js';

/** As the server writes it: `%010d` of a signed 32-bit counter. */
function format(sequence: number): string {
  return sequence < 0 ? `-${String(-sequence).padStart(9, '0')}` : String(sequence).padStart(10, '0');
}

describe('Names of lock nodes', () => {
  it('should read mark and sequence of every node, whatever its prefix (B13, B17)', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.constantFrom(...MARKS),
        fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
        (prefix, mark, sequence) => {
          const name = `${prefix}${mark}${format(sequence)}`;
          expect(parseLockNode(name)).toEqual({ name, mark, sequence });
        },
      ),
    );
  });

  it('should order by the number, never by the name (B13)', () => {
    const sequences = fc.array(fc.integer({ min: 0, max: 2 ** 31 - 1 }), { minLength: 2 });
    fc.assert(
      fc.property(sequences, (numbers) => {
        const nodes = numbers.map((sequence) => parseLockNode(`${newProtection()}lock-${format(sequence)}`)!);
        const sorted = nodes.sort(bySequence).map(({ sequence }) => sequence);
        expect(sorted).toEqual([...numbers].sort((x, y) => x - y));
      }),
    );
  });

  it.each([
    '',
    'x',
    'lock-',
    'lock-abc',
    'lock-123',
    'lock-00000000012',
    'lock-0000000001x',
    'lock-0000000001-',
    'block_0000000001',
    'lock--1',
    'lock-+000000001',
    '0000000001',
  ])('should take %p for no contender (B17)', (name) => {
    expect(parseLockNode(name)).toBeUndefined();
  });

  it.each([
    ['_c_8c3cb0b8-4aa0-4f81-b7b4-fbc4fbd91f90-lock-0000000007', 'Curator'],
    ['_c_8c3cb0b84aa04f81b7b4fbc4fbd91f90-lock-0000000007', 'go-zookeeper'],
    ['lock-0000000007', 'the recipe of the ZooKeeper documentation'],
    ['8c3cb0b84aa04f81b7b4fbc4fbd91f90__lock__0000000007', 'kazoo', '__lock__'],
  ])('should count %p, as %s writes it (B17)', (name, _library, mark = 'lock-') => {
    expect(parseLockNode(name)).toMatchObject({ mark, sequence: 7 });
  });

  it.each([
    [0, true],
    [2 ** 31 - 2 ** 20 - 1, true],
    [2 ** 31 - 2 ** 20, false],
    [2 ** 31 - 1, false],
    [-1, false],
    [-(2 ** 31), false],
  ])('should say whether the sequence %i can be trusted (B14)', (sequence, trusted) => {
    expect(isTrusted(sequence)).toBe(trusted);
  });
});
