import { describe, expect, it } from '@jest/globals';
import { percentile, problems, report, type DemoResults } from '../../sample-app/demo/demo.report.js';

const load = {
  payments: 400,
  doublePayments: 0,
  ordersPaidTwice: 0,
  ordersUnpaid: 0,
  failures: [],
  perSecond: 200,
  lockWaitsMs: [1, 2, 3, 400],
};

const right: DemoResults = {
  unsafe: { ...load, doublePayments: 257, ordersPaidTwice: 20, lockWaitsMs: [] },
  locked: load,
  killed: { nextWaitedMs: 4_100, nextStatus: 200, payments: 1 },
  paused: {
    nextWaitedMs: 4_300,
    nextStatus: 200,
    lateStatus: 409,
    lateMessage: 'refused',
    staleWritesRefused: 1,
    payments: 1,
  },
  sessionTimeoutMs: 4_000,
  orphans: [],
};

describe('report of the demo', () => {
  it('should show double payments side by side, waits, and what was left', () => {
    const lines = report(right).split('\n');
    expect(lines).toContainEqual(expect.stringMatching(/double payments +257 +0$/));
    expect(lines).toContainEqual(expect.stringMatching(/p99 +- +400 ms$/));
    expect(lines).toContainEqual(expect.stringMatching(/stale writes refused +- +1$/));
    expect(lines).toContainEqual(expect.stringMatching(/SIGKILL.* 4\.1 s later \(session timeout 4\.0 s\)/));
  });

  it('should find nothing wrong with a right run, whatever happened without the lock', () => {
    expect(problems(right)).toEqual([]);
  });

  it.each<[string, Partial<DemoResults>]>([
    ['double payments', { locked: { ...load, doublePayments: 1 } }],
    ['not paid', { locked: { ...load, ordersUnpaid: 1 } }],
    ['requests failed', { locked: { ...load, failures: ['503 ZooKeeper is away'] } }],
    ['after the kill', { killed: { ...right.killed, nextStatus: 423 } }],
    ["killed holder's order", { killed: { ...right.killed, payments: 2 } }],
    ['after the pause', { paused: { ...right.paused, nextStatus: 423 } }],
    ["paused holder's order", { paused: { ...right.paused, payments: 2 } }],
    ['late payment', { paused: { ...right.paused, lateStatus: 200 } }],
    ['refused no stale write', { paused: { ...right.paused, staleWritesRefused: 0 } }],
    ['nodes left', { orphans: ['/locks/a/b'] }],
  ])('should call it wrong: %s', (text, change) => {
    expect(problems({ ...right, ...change })).toEqual([expect.stringContaining(text)]);
  });

  it('should take percentiles by rank', () => {
    const rising = Array.from({ length: 100 }, (_, at) => at + 1);
    expect([percentile(rising, 0.5), percentile(rising, 0.99), percentile([], 0.5)]).toEqual([50, 99, 0]);
  });
});
