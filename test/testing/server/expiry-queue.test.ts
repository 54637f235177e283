import { describe, expect, it } from '@jest/globals';
import { ExpiryQueue, type Expiring } from '../../../lib/testing/server/expiry-queue.js';

interface Element extends Expiring {
  name: string;
}
const element = (name: string): Element => ({ name, expiresAt: undefined });

describe('ExpiryQueue', () => {
  let now = 0;
  const queueAt = (start: number, interval = 500) => {
    now = start;
    return new ExpiryQueue<Element>(() => now, interval);
  };
  const dueAt = (queue: ExpiryQueue<Element>, time: number) => {
    now = time;
    return [...queue.due()].map(({ name }) => name);
  };

  it.each([
    [0, 1_000, 1_500],
    [1, 1_000, 1_500],
    [499, 1_000, 1_500],
    [500, 1_000, 2_000],
    [0, 1_001, 1_500],
    [0, 1_499, 1_500],
  ])('should expire what is touched at %i with a timeout of %i ms at %i', (touched, timeoutMs, expiry) => {
    const queue = queueAt(touched);
    const one = element('one');
    queue.update(one, timeoutMs);

    expect(one.expiresAt).toBe(expiry);
    expect(dueAt(queue, expiry - 1)).toEqual([]);
    expect(dueAt(queue, expiry)).toEqual(['one']);
    expect(queue.size).toBe(0);
  });

  it('should expire the oldest bucket first, and in it those that came first', () => {
    const queue = queueAt(0);
    queue.update(element('late'), 2_000);
    queue.update(element('first'), 1_000);
    queue.update(element('second'), 1_100);

    expect(dueAt(queue, 60_000)).toEqual(['first', 'second', 'late']);
  });

  it('should let live what is touched in time', () => {
    const queue = queueAt(0);
    const one = element('one');
    queue.update(one, 1_000);
    now = 1_499;
    queue.update(one, 1_000);

    expect(dueAt(queue, 2_499)).toEqual([]);
    expect(dueAt(queue, 2_500)).toEqual(['one']);
  });

  it('should not expire what is removed, even while its bucket is being emptied', () => {
    const queue = queueAt(0);
    const [one, two] = [element('one'), element('two')];
    queue.update(one, 100);
    queue.update(two, 100);
    now = 500;
    const due: string[] = [];
    for (const each of queue.due()) {
      due.push(each.name);
      queue.remove(two);
    }

    expect(due).toEqual(['one']);
    expect(queue.size).toBe(0);
  });
});
