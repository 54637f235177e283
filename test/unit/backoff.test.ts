import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Backoff } from '../../lib/session/backoff.js';

describe('Backoff', () => {
  const policies = fc.record({
    initialMs: fc.integer({ min: 1, max: 1_000 }),
    maxMs: fc.integer({ min: 1_000, max: 60_000 }),
    multiplier: fc.double({ min: 1, max: 10, noNaN: true }),
  });

  it('should stay within a limit that grows with the failures, and never beyond the largest', () => {
    fc.assert(
      fc.property(policies, fc.integer({ min: 1, max: 50 }), (policy, tries) => {
        const backoff = new Backoff(policy);
        for (let failures = 0; failures < tries; failures += 1) {
          const limit = Math.min(policy.initialMs * policy.multiplier ** failures, policy.maxMs);
          const pause = backoff.nextMs();
          expect(pause).toBeGreaterThanOrEqual(0);
          expect(pause).toBeLessThanOrEqual(limit);
        }
      }),
    );
  });

  it('should begin again after a success, and spread the tries', () => {
    const backoff = new Backoff({ initialMs: 100, maxMs: 100_000, multiplier: 10 });
    expect(backoff.hasFailed).toBe(false);
    for (let failures = 0; failures < 5; failures += 1) backoff.nextMs();
    expect(backoff.hasFailed).toBe(true);
    backoff.succeeded();
    expect(backoff.hasFailed).toBe(false);
    expect(backoff.nextMs()).toBeLessThanOrEqual(100);
    const pauses = new Set(
      Array.from({ length: 20 }, () => new Backoff({ initialMs: 100, maxMs: 100, multiplier: 1 }).nextMs()),
    );
    expect(pauses.size).toBeGreaterThan(10);
  });
});
