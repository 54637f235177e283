import { describe, expect, it } from '@jest/globals';
import { SessionTracker } from '../../../lib/testing/server/session-tracker.js';
import { VirtualClock } from '../../../lib/testing/server/virtual-clock.js';

function track(tickTime = 500) {
  const clock = new VirtualClock();
  const expired: [id: bigint, at: number][] = [];
  const tracker = new SessionTracker(clock, tickTime, ({ id }) => {
    expired.push([id, clock.elapsed()]);
  });
  tracker.start();
  return { clock, tracker, expired };
}

describe('SessionTracker', () => {
  it('should give each session an id of its own, with the server id in its upper byte', () => {
    const { tracker } = track();
    const ids = [tracker.open(1_000), tracker.open(1_000)].map(({ id }) => id);

    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id >> 56n).toBe(1n);
  });

  it('should expire a session at the end of the tick in which its timeout ends', () => {
    const { clock, tracker, expired } = track();
    clock.advance(100);
    const { id } = tracker.open(1_000);
    clock.advance(1_399);
    expect(expired).toEqual([]);
    clock.advance(1);

    expect(expired).toEqual([[id, 1_500]]);
    expect(tracker.find(id)).toBeUndefined();
  });

  it('should expire everything at its own time in one advance', () => {
    const { clock, tracker, expired } = track();
    const long = tracker.open(3_000);
    const short = tracker.open(1_000);
    clock.advance(60_000);

    expect(expired).toEqual([
      [short.id, 1_500],
      [long.id, 3_500],
    ]);
  });

  it('should have nothing to do while no session is due', () => {
    const { clock, tracker, expired } = track(1);
    let looks = 0;
    const { at } = clock;
    clock.at = (elapsed, task) => {
      looks += 1;
      return at.call(clock, elapsed, task);
    };
    const { id } = tracker.open(1_000);
    clock.advance(31_536_000_000);

    expect(expired).toEqual([[id, 1_001]]);
    expect(looks).toBeLessThan(5);
    tracker.open(1_000);
    clock.advance(1_001);
    expect(expired).toHaveLength(2);
  });

  it('should expire when started again what was due while it was stopped', () => {
    const { clock, tracker, expired } = track();
    const { id } = tracker.open(1_000);
    tracker.stop();
    clock.advance(10_000);
    expect(expired).toEqual([]);
    tracker.start();

    expect(expired).toEqual([[id, 10_000]]);
  });

  it('should take over a session from before under its own id, and give no other that id', () => {
    const { tracker } = track();
    const next = tracker.open(1_000).id + 1n;
    tracker.track(next, 1_000);

    expect(tracker.open(1_000).id).toBe(next + 1n);
  });
});
