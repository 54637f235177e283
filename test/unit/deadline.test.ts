import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { deadline } from '../../lib/recipes/deadline.js';

const over = (ms: number): Promise<number> =>
  new Promise((resolve) => {
    const begin = performance.now();
    deadline(ms, () => resolve(performance.now() - begin));
  });

/** Waits of one length share a timer: none may end early, late or never because of another. */
describe('A deadline', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  it.each([0, -5, 1, 0.4, 7.3, 20])('should end after %d ms, never before', async (ms) => {
    for (let round = 0; round < 5; round += 1) {
      expect(await over(ms)).toBeGreaterThanOrEqual(ms);
    }
  });

  it('should end each wait at its own time, whatever became of those before it', async () => {
    const begin = performance.now();
    const ends: number[] = [];
    const taken = deadline(30, () => ends.push(NaN));
    await sleep(10);
    const waits = [over(30), over(30)];
    taken();
    await sleep(10);
    waits.push(over(30));
    for (const wait of waits) ends.push(Math.floor(await wait));
    expect(ends.every((ms) => ms >= 30 && ms < 1_000)).toBe(true);
    expect(performance.now() - begin).toBeGreaterThanOrEqual(50);
  });

  it('should end waits that begin when another one ends', async () => {
    for (let round = 0; round < 5; round += 1) {
      await new Promise<void>((resolve) => {
        const forget = deadline(3, () => expect('taken back').toBe('called'));
        deadline(3, () => deadline(3, resolve));
        forget();
      });
    }
  });

  it('should end as usual after a test that replaced the timers', async () => {
    jest.useFakeTimers();
    deadline(25, () => undefined)();
    jest.useRealTimers();
    expect(await over(25)).toBeLessThan(1_000);
  });
});
