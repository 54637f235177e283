import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { lastValueFrom, take, toArray } from 'rxjs';
import { LockConfigError } from '../../lib/errors/lock-config.error.js';
import { LockLostError } from '../../lib/errors/lock-lost.error.js';
import { LockService } from '../../lib/locking/lock.service.js';
import * as messages from '../../lib/locking/locking.messages.js';
import { currentLock } from '../../lib/recipes/lock-context.js';
import { waitFor } from '../support/wait-for.js';
import { FEED, Feeds } from './fixtures/feeds.js';
import { Fleet } from './fixtures/fleet.js';

let fleet: Fleet;
let feeds: Feeds;
let elsewhere: Feeds;
const { section } = Feeds;

const KEY = FEED;
const held = async (): Promise<boolean> => (await fleet.contenders(KEY)).length > 0;
/** A call that ends has sent the delete of its node, and does not wait until it is confirmed. */
const free = (): Promise<unknown> => waitFor(async () => !(await held()), { what: 'the lock to be free' });

beforeAll(async () => {
  fleet = await Fleet.start();
});
beforeEach(async () => {
  [feeds, elsewhere] = await fleet.twins(Feeds);
  feeds.lose = () => fleet.removeNodes(KEY);
});
afterEach(() => fleet.closeApps());
afterAll(() => fleet[Symbol.asyncDispose]());

describe('A locked method that returns a Promise', () => {
  it('should give its own result and error, and release after both', async () => {
    expect(await feeds.promise(false)).toBe(KEY);
    await expect(feeds.promise(true)).rejects.toBe(feeds.failure);
    await expect(feeds.throwsAtOnce()).rejects.toBe(feeds.failure);
    await free();
  });
});

describe('A locked method that returns an Observable', () => {
  it('should not run before somebody subscribes and the lock is held', async () => {
    const made = feeds.observable();
    await turn();
    expect(feeds.seen).toEqual([]);
    const values = lastValueFrom(made.pipe(toArray()));
    await waitFor(() => feeds.source.observed);
    expect(feeds.seen).toEqual([`made under ${KEY}`]);
    expect(await held()).toBe(true);
    feeds.source.next(1);
    feeds.source.next(2);
    feeds.source.complete();
    expect(await values).toEqual([1, 2]);
    await free();
  });

  it('should exclude others until its end, at every subscription', async () => {
    const here = feeds.sections();
    const there = elsewhere.sections();
    await section.expectExclusive(
      [here, there, here, there].map((each) => async () => {
        expect(await lastValueFrom(each.pipe(toArray()))).toEqual([KEY, 'end']);
      }),
    );
  });

  it('should release when it is unsubscribed, after the source was torn down', async () => {
    const subscription = feeds.observable().subscribe();
    await waitFor(() => feeds.source.observed);
    const waiting = lastValueFrom(elsewhere.sections());
    subscription.unsubscribe();
    expect(feeds.seen).toEqual([`made under ${KEY}`, 'torn down']);
    expect(await waiting).toBe('end');
    await free();
  });

  it('should stop waiting when it is unsubscribed', async () => {
    const holder = feeds.observable().subscribe();
    await waitFor(() => feeds.source.observed);
    const waiter = elsewhere.observable().subscribe();
    await fleet.admin.waitForChildren(`/locks/${KEY}`, 2);
    waiter.unsubscribe();
    await fleet.admin.waitForChildren(`/locks/${KEY}`, 1);
    holder.unsubscribe();
    await free();
    expect(elsewhere.seen).toEqual([]);
  });

  it('should give the error of the source, and release', async () => {
    await expect(lastValueFrom(feeds.failing())).rejects.toBe(feeds.failure);
    await free();
  });

  it('should manage a source that ends, or is left, while it is subscribed to', async () => {
    expect(await lastValueFrom(feeds.synchronous().pipe(toArray()))).toEqual([1, 2, 3]);
    expect(await lastValueFrom(feeds.synchronous().pipe(take(1)))).toBe(1);
    await free();
  });

  it('should fail with LockLostError when the lock was lost', async () => {
    await expect(lastValueFrom(feeds.losingObservable())).rejects.toThrow(LockLostError);
  });
});

describe('A locked async generator', () => {
  it('should run each step under the lock, pass on what is sent, and release when it has finished', async () => {
    const steps = feeds.generator();
    await free();
    expect(await steps.next('ignored')).toEqual({ done: false, value: KEY });
    expect(await held()).toBe(true);
    expect(await steps.next('sent')).toEqual({ done: false, value: KEY });
    expect(await steps.next()).toEqual({ done: true, value: KEY });
    expect(feeds.seen).toEqual([`sent under ${KEY}`, `left under ${KEY}`]);
    await free();
  });

  it('should keep its context from the context of whoever asks for the next step', async () => {
    const context = new AsyncLocalStorage<string>();
    const steps = feeds.generator();
    await context.run('a', () => steps.next());
    expect(await context.run('b', () => steps.next('sent'))).toEqual({ done: false, value: KEY });
    expect(() => currentLock()).toThrow();
    await steps.return('');
  });

  it('should exclude others until its end', async () => {
    await section.expectExclusive(
      [feeds, elsewhere, feeds, elsewhere].map((each) => async () => {
        for await (const key of each.generator()) expect(key).toBe(KEY);
      }),
    );
  });

  it('should release when it is left early, after its finally', async () => {
    for await (const key of feeds.generator()) {
      expect(key).toBe(KEY);
      break;
    }
    expect(feeds.seen).toEqual([`left under ${KEY}`]);
    await free();
  });

  it('should release when an error is thrown into it', async () => {
    const steps = feeds.generator();
    await steps.next();
    await steps.next('sent');
    await expect(steps.throw(feeds.failure)).rejects.toBe(feeds.failure);
    expect(feeds.seen.slice(1)).toEqual([`own under ${KEY}`, `left under ${KEY}`]);
    await free();
  });

  it('should hold nothing when nobody asks for a step', async () => {
    const steps = feeds.generator();
    await steps.return('');
    await free();
    expect(feeds.seen).toEqual([]);
  });

  it('should fail with LockLostError when the lock was lost', async () => {
    const steps = feeds.losing();
    expect(await steps.next()).toEqual({ done: false, value: 1 });
    await expect(steps.next()).rejects.toThrow(LockLostError);
  });
});

describe('B37 A locked method whose result would outlive its lock', () => {
  it.each<[string, (of: Feeds) => unknown, string]>([
    ['unannotated', (of) => of.unannotated(), 'an Observable'],
    ['promisedObservable', (of) => of.promisedObservable(), 'an Observable'],
    ['plainIterable', (of) => of.plainIterable(), 'an async iterable'],
  ])('should refuse the result of %s', async (name, call, what) => {
    const result = call(feeds);
    await expect(result).rejects.toThrow(LockConfigError);
    await expect(result).rejects.toThrow(messages.ranUnlocked(`Feeds.${name}`, what));
    expect(feeds.seen).toEqual([]);
    await free();
  });
});

describe('A locked method and the service', () => {
  it('should exclude each other', async () => {
    const app = await fleet.app({ providers: [Feeds] });
    const lock = await app.get(LockService).acquire(KEY);
    const waiting = feeds.promise(false);
    await fleet.admin.waitForChildren(`/locks/${KEY}`, 2);
    await lock.release();
    expect(await waiting).toBe(KEY);
  });
});
