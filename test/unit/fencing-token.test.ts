import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fencingToken, MAX_GRANTS_PER_NODE } from '../../lib/recipes/fencing-token.js';

describe('Fencing tokens', () => {
  it('should rise with the zxid, and with the grants of one node', () => {
    const zxid = fc.integer({ min: 0, max: 2 ** 51 - 1 });
    const grant = fc.integer({ min: 1, max: MAX_GRANTS_PER_NODE });
    fc.assert(
      fc.property(zxid, grant, zxid, grant, (zxid1, grant1, zxid2, grant2) => {
        const expected = zxid1 === zxid2 ? grant1 - grant2 : zxid1 - zxid2;
        const difference = fencingToken(zxid1, grant1) - fencingToken(zxid2, grant2);
        expect(difference > 0n).toBe(expected > 0);
        expect(difference < 0n).toBe(expected < 0);
      }),
    );
  });

  it('should fit a signed 64-bit column up to the last usable zxid, and refuse the next', () => {
    expect(fencingToken(2 ** 51 - 1, MAX_GRANTS_PER_NODE)).toBe(2n ** 63n - 1n);
    expect(() => fencingToken(2 ** 51, 1)).toThrow(expect.objectContaining({ code: 'ZK_LOCK_SEQUENCE' }));
  });

  it.each([0, -1, 1.5, MAX_GRANTS_PER_NODE + 1])('should refuse grant number %p', (grant) => {
    expect(() => fencingToken(1, grant)).toThrow(/allowed are 1 to 4095/);
  });
});
