import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { isLockAbortedError } from '../../lib/errors/lock-aborted.error.js';
import { isLockNotHeldError } from '../../lib/errors/lock-not-held.error.js';
import { LockTimeoutError } from '../../lib/errors/lock-timeout.error.js';
import type { HeldLock } from '../../lib/recipes/held-lock.js';
import { EACH_ITS_NODE, LockClient } from '../support/lock-client.js';
import { waitFor } from '../support/wait-for.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

describe('Mutex', () => {
  let server: ZooKeeperServer;
  let a: LockClient;
  let b: LockClient;
  let key: string;
  let count = 0;

  const queueOf = async (): Promise<number> => (await a.locks.contenders(key)).length;
  const untilQueueIs = (length: number): Promise<unknown> =>
    waitFor(async () => (await queueOf()) === length, { what: `${length} contenders of ${key}` });

  beforeAll(async () => {
    server = await ZooKeeperServer.start();
    a = await LockClient.open(server.connectString, EACH_ITS_NODE);
    b = await LockClient.open(server.connectString, EACH_ITS_NODE);
  });
  afterAll(async () => {
    await a[Symbol.asyncDispose]();
    await b[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    key = `mutex-${(count += 1)}`;
  });
  afterEach(async () => {
    await waitFor(async () => (await queueOf()) === 0, { what: 'no node left, whatever a test did' });
    await waitFor(() => a.locks.stats().held + b.locks.stats().held === 0);
    expect([a.locks.stats().waiting, b.locks.stats().waiting]).toEqual([0, 0]);
  });

  it('should grant a free lock and describe it', async () => {
    const before = Date.now();
    const lock = await a.locks.acquire(key, { purpose: 'OrdersService.pay', metadata: { order: 42 } });
    expect(lock).toMatchObject({ key, path: `/locks/${key}`, mode: 'exclusive', state: 'held' });
    expect(lock.acquiredAt.getTime()).toBeGreaterThanOrEqual(before);
    expect(typeof lock.fencingToken).toBe('bigint');
    expect([...lock.fencingTokens]).toEqual([[key, lock.fencingToken]]);
    expect(lock.isHeld()).toBe(true);
    expect(await lock.verify()).toBe(true);
    expect(await b.locks.contenders(key)).toMatchObject([
      {
        position: 1,
        state: 'holding',
        mine: false,
        pid: process.pid,
        purpose: 'OrdersService.pay',
        metadata: { order: 42 },
        sessionId: a.connection.info().sessionId,
      },
    ]);
    await lock.release();
  });

  it('should be free for the next one as soon as the release is confirmed', async () => {
    const lock = await a.locks.acquire(key);
    await lock.release();
    const next = await b.locks.tryAcquire(key);
    expect(next?.fencingToken).toBeGreaterThan(lock.fencingToken);
    await next?.release();
  });

  it('should pass from one to the next in the order in which they came, with rising tokens', async () => {
    const holder = await a.locks.acquire(key);
    const order: number[] = [];
    const tokens = [holder.fencingToken];
    const waiters: Promise<void>[] = [];
    for (let at = 0; at < 6; at += 1) {
      const client = at % 2 === 0 ? a : b;
      waiters.push(
        client.locks.withLock(key, ({ fencingToken }) => {
          order.push(at);
          tokens.push(fencingToken);
        }),
      );
      await untilQueueIs(at + 2);
    }
    await holder.release();
    await Promise.all(waiters);
    expect(order).toEqual([0, 1, 2, 3, 4, 5]);
    expect(tokens).toEqual([...tokens].sort((x, y) => (x < y ? -1 : 1)));
    expect(new Set(tokens).size).toBe(7);
  });

  it('should say null to tryAcquire when busy, and nothing else', async () => {
    const lock = await a.locks.acquire(key);
    expect(await b.locks.tryAcquire(key)).toBeNull();
    expect(await b.locks.tryAcquire(key, { waitMs: 1_000 })).toBeNull();
    await expect(b.locks.tryAcquire('')).rejects.toMatchObject({ code: 'ZK_LOCK_KEY' });
    await lock.release();
  });

  it('should say who holds the lock, for how long, and the place in the queue when the time is up', async () => {
    const lock = await a.locks.acquire(key, { purpose: 'OrdersService.pay' });
    const error = await b.locks.acquire(key, { waitMs: 1_000 }).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(LockTimeoutError);
    expect(error).toMatchObject({ code: 'ZK_LOCK_TIMEOUT', key, position: 2, queueLength: 2 });
    expect((error as LockTimeoutError).waitedMs).toBeGreaterThanOrEqual(999);
    expect((error as LockTimeoutError).message).toContain(`pid ${process.pid} (OrdersService.pay)`);
    expect((error as LockTimeoutError).message).not.toContain('reentrant');
    await lock.release();
  });

  it('should explain a second acquire of the same key by the same process', async () => {
    const lock = await a.locks.acquire(key);
    await expect(a.locks.acquire(key, { waitMs: 1_000 })).rejects.toThrow(/not reentrant/);
    await lock.release();
  });

  it('should count the time of a call once, however often it wakes up (B30)', async () => {
    const first = await a.locks.acquire(key);
    const second = a.locks.acquire(key);
    await untilQueueIs(2);
    const started = performance.now();
    const third = b.locks.acquire(key, { waitMs: 1_500 }).catch((error: unknown) => error);
    await untilQueueIs(3);
    await first.release(); // the third one may look again; its clock goes on
    const held: HeldLock = await second;
    expect(await third).toMatchObject({ code: 'ZK_LOCK_TIMEOUT' });
    expect(performance.now() - started).toBeGreaterThanOrEqual(1_499);
    await held.release();
  });

  it('should get a free lock with waitMs 0, and answer at once when it is busy (B31)', async () => {
    const lock = await a.locks.acquire(key, { waitMs: 0 });
    await expect(b.locks.acquire(key, { waitMs: 0 })).rejects.toMatchObject({
      code: 'ZK_LOCK_TIMEOUT',
      position: 2,
    });
    await lock.release();
    const next = await b.locks.acquire(key, { waitMs: 0 });
    await next.release();
  });

  it('should leave the queue when it is cancelled, and be able to come again (B33)', async () => {
    const lock = await a.locks.acquire(key);
    const controller = new AbortController();
    const waiting = b.locks.acquire(key, { signal: controller.signal });
    await untilQueueIs(2);
    controller.abort(new Error('the client hung up'));
    const error = await waiting.catch((caught: unknown) => caught);
    expect(isLockAbortedError(error) && error.cause).toEqual(new Error('the client hung up'));
    await untilQueueIs(1);
    await expect(b.locks.acquire(key, { signal: controller.signal })).rejects.toMatchObject({
      code: 'ZK_LOCK_ABORTED',
    });
    await lock.release();
    const fresh = new AbortController();
    const again = await b.locks.acquire(key, { signal: fresh.signal });
    fresh.abort(); // no effect on a lock that is held
    expect(again.isHeld()).toBe(true);
    expect(again.signal.aborted).toBe(false);
    await again.release();
  });

  it('should pass the lock on over a waiter that gave up in the middle of the queue', async () => {
    const lock = await a.locks.acquire(key);
    const controller = new AbortController();
    const middle = b.locks.acquire(key, { signal: controller.signal });
    await untilQueueIs(2);
    const last = a.locks.acquire(key);
    await untilQueueIs(3);
    controller.abort();
    await expect(middle).rejects.toMatchObject({ code: 'ZK_LOCK_ABORTED' });
    await untilQueueIs(2);
    expect(lock.isHeld()).toBe(true);
    await lock.release();
    await (await last).release();
  });

  it('should be released by whoever has the handle, once, however often it is asked (B34)', async () => {
    const lock = await a.locks.acquire(key);
    const waiting = b.locks.acquire(key);
    await untilQueueIs(2);
    const releases = await new Promise<Promise<void>[]>((resolve) => {
      setImmediate(() => resolve([lock.release(), lock.release()]));
    });
    await Promise.all(releases);
    const next = await waiting;
    await lock.release(); // late: the next holder's node stays
    expect(await next.verify()).toBe(true);
    expect(lock.state).toBe('released');
    expect(lock.isHeld()).toBe(false);
    expect(await lock.verify()).toBe(false);
    expect(lock.signal.aborted).toBe(false);
    expect(() => lock.assertHeld()).toThrow(expect.objectContaining({ code: 'ZK_LOCK_NOT_HELD' }));
    await next.release();
  });

  it('should release at the end of an `await using` block', async () => {
    {
      await using lock = await a.locks.acquire(key);
      expect(lock.isHeld()).toBe(true);
    }
    expect(await queueOf()).toBe(0);
  });

  it('should keep the node for minHoldMs although the call has returned (B42)', async () => {
    const started = performance.now();
    await a.locks.withLock(key, () => undefined, { minHoldMs: 300 });
    expect(await b.locks.tryAcquire(key)).toBeNull();
    const next = await b.locks.acquire(key);
    expect(performance.now() - started).toBeGreaterThanOrEqual(299);
    await next.release();
  });

  it('should give the result or the error of the section, and the lock back', async () => {
    expect(await a.locks.withLock(key, () => 'paid')).toBe('paid');
    await expect(a.locks.withLock(key, () => Promise.reject(new Error('no money')))).rejects.toThrow(
      'no money',
    );
    expect(await queueOf()).toBe(0);
  });

  it.each([
    ['waitMs', -1],
    ['waitMs', Number.NaN],
    ['waitMs', 2 ** 31],
    ['attemptMs', 0],
    ['minHoldMs', -5],
    ['maxHoldMs', 0],
  ])('should refuse %s = %p and name what is allowed', async (name, value) => {
    const error = a.locks.acquire(key, { [name]: value });
    await expect(error).rejects.toMatchObject({ code: 'ZK_LOCK_CONFIG' });
    await expect(error).rejects.toThrow(`Option "${name}" is ${value}; allowed are`);
  });

  it('should refuse a purpose that is too long, and options that are none', async () => {
    await expect(a.locks.acquire(key, { purpose: 'x'.repeat(2_000) })).rejects.toThrow(
      /Option "purpose" is 'x+'.*; allowed are strings of at most 1024 bytes/,
    );
    await expect(a.locks.acquire(key, null as never)).rejects.toMatchObject({ code: 'ZK_LOCK_CONFIG' });
  });

  it('should refuse metadata that is too large or no JSON', async () => {
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    await expect(a.locks.acquire(key, { metadata: circular })).rejects.toMatchObject({
      code: 'ZK_LOCK_CONFIG',
    });
    await expect(a.locks.acquire(key, { metadata: { text: 'x'.repeat(9_000) } })).rejects.toThrow(
      /allowed are 8192/,
    );
  });

  it('should take several keys or none, in one order, without a deadlock (B26)', async () => {
    const keys = [`${key}-x`, `${key}-y`];
    const sections: string[] = [];
    const run = (client: LockClient, order: string[]): Promise<void> =>
      client.locks.withLock(order, async (lock) => {
        sections.push('in');
        expect([...lock.fencingTokens.keys()].sort()).toEqual(keys);
        expect(() => lock.fencingToken).toThrow(/fencingTokens/);
        await lock.verify();
        sections.push('out');
      });
    await Promise.all(
      Array.from({ length: 10 }, (_, at) => run(at % 2 ? a : b, at % 3 ? keys : [...keys].reverse())),
    );
    expect(sections).toEqual(Array.from({ length: 20 }, (_, at) => (at % 2 ? 'out' : 'in')));

    const one = await a.locks.acquire(keys[1]!);
    expect(await b.locks.multiLock(keys).tryAcquire()).toBeNull();
    expect(await b.locks.contenders(keys[0]!)).toEqual([]);
    await one.release();
    const both = await b.locks.multiLock([...keys, keys[0]!]).acquire();
    expect(both.isHeld()).toBe(true);
    await both.release();
    expect(both.state).toBe('released');
    expect(await b.locks.contenders(keys[1]!)).toEqual([]);
  });

  it('should stop at the first key that it cannot have, within one deadline, and give the others back (B26)', async () => {
    const keys = [`${key}-x`, `${key}-y`, `${key}-z`];
    const busy = await a.locks.acquire(keys[1]!);
    const started = performance.now();
    const all = b.locks.multiLock(keys).acquire({ waitMs: 1_500 });
    await waitFor(async () => (await a.locks.contenders(keys[1]!)).length === 2);
    expect(await a.locks.contenders(keys[0]!)).toHaveLength(1);
    expect(await a.locks.contenders(keys[2]!)).toEqual([]); // not even tried
    await expect(all).rejects.toMatchObject({ code: 'ZK_LOCK_TIMEOUT' });
    expect(performance.now() - started).toBeGreaterThanOrEqual(1_499);
    expect(performance.now() - started).toBeLessThan(2 * 1_500);
    for (const free of [keys[0]!, keys[2]!]) {
      await waitFor(async () => (await a.locks.contenders(free)).length === 0);
    }
    await busy.release();
  });

  it('should give back at once what it took of several keys, whatever minHoldMs says (B26)', async () => {
    const keys = [`${key}-x`, `${key}-y`];
    const busy = await a.locks.acquire(keys[1]!);
    await expect(
      b.locks.withLock(keys, () => undefined, { waitMs: 0, minHoldMs: 60_000 }),
    ).rejects.toMatchObject({
      code: 'ZK_LOCK_TIMEOUT',
    });
    await (await a.locks.acquire(keys[0]!, { waitMs: 5_000 })).release();
    await busy.release();
  });

  it('should return at once from a second release while the node stays for minHoldMs (B42)', async () => {
    const lock = await a.locks.acquire(key, { minHoldMs: 1_500 });
    await Promise.all([lock.release(), lock.release()]);
    await lock.release();
    expect(await b.locks.tryAcquire(key)).toBeNull();
    expect(a.lines.filter((line) => line.includes('not confirmed'))).toEqual([]);
    await (await b.locks.acquire(key)).release();
  });

  it('should notice by the clock that maxHoldMs is over', async () => {
    const lock = await a.locks.acquire(key, { maxHoldMs: 200 });
    const end = performance.now() + 250;
    while (performance.now() < end);
    expect(lock.isHeld()).toBe(false);
    expect(lock.signal.reason).toMatchObject({ reason: 'max-hold' });
    await lock.release();
  });

  it('should ask nothing of the server for a call that was cancelled before it began', async () => {
    const before = await server.mntr();
    await expect(b.locks.acquire(`${key}-cancelled`, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'ZK_LOCK_ABORTED',
    });
    expect(before.zk_znode_count).toBe((await server.mntr()).zk_znode_count);
  });

  it('should stay fair and whole when a thousand callers come at once', async () => {
    const order: number[] = [];
    const calls = Array.from({ length: 1_000 }, (_, at) =>
      a.locks.withLock(key, () => void order.push(at), { waitMs: 60_000 }),
    );
    await Promise.all(calls);
    expect(order).toEqual(calls.map((_, at) => at));
  }, 60_000);

  it('should keep the place of one caller when another caller of the same process gives up (B44)', async () => {
    const holder = await a.locks.acquire(key);
    const first = b.locks.acquire(key, { waitMs: 1_500 });
    await untilQueueIs(2);
    const second = b.locks.acquire(key);
    await untilQueueIs(3);
    await expect(first).rejects.toMatchObject({ code: 'ZK_LOCK_TIMEOUT' });
    await untilQueueIs(2);
    const late = a.locks.acquire(key);
    await untilQueueIs(3);
    await holder.release();
    const held = await second;
    expect(await held.verify()).toBe(true);
    await held.release();
    await (await late).release();
  });

  it('should refuse an empty list of keys', async () => {
    await expect(a.locks.withLock([], () => undefined)).rejects.toThrow(/at least one key/);
  });

  it('should throw LockNotHeldError from currentLock-like checks only after the release', async () => {
    let kept: HeldLock | undefined;
    await a.locks.withLock(key, (lock) => {
      kept = lock;
      lock.assertHeld();
    });
    expect(isLockNotHeldError(catchError(() => kept!.assertHeld()))).toBe(true);
  });
});

function catchError(action: () => void): unknown {
  try {
    action();
    return undefined;
  } catch (error) {
    return error;
  }
}
