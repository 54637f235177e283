import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AcquireOptions } from '../../lib/recipes/acquire-options.js';
import type { LockOptions } from '../../lib/locking/lock.service.js';
import { lockKey } from '../../lib/locking/lock-key.js';
import * as messages from '../../lib/locking/locking.messages.js';
import { LockClient } from '../support/lock-client.js';
import { waitFor } from '../support/wait-for.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

const CONFIG = expect.objectContaining({ code: 'ZK_LOCK_CONFIG' });
const KEY = expect.objectContaining({ code: 'ZK_LOCK_KEY' });

/** What an untyped caller may hand over by mistake. */
describe('Arguments of LockService', () => {
  let server: ZooKeeperServer;
  let a: LockClient;
  let b: LockClient;
  beforeAll(async () => {
    server = await ZooKeeperServer.start();
    a = await LockClient.open(server.connectString);
    b = await LockClient.open(server.connectString);
  });
  afterAll(async () => {
    await a[Symbol.asyncDispose]();
    await b[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  it('should refuse an option that does not exist, and name the nearest', async () => {
    const options = { waitMS: 5 } as LockOptions;
    const text = /There is no option "waitMS"\. Did you mean "waitMs"\? Known: waitMs, attemptMs, /;
    for (const call of [
      () => a.locks.acquire('a', options),
      () => a.locks.tryAcquire('a', options),
      () => a.locks.withLock('a', () => 1, options),
      () => a.locks.mutex('a').acquire(options),
    ]) {
      await expect(call()).rejects.toThrow(text);
    }
    await expect(a.locks.acquire('a', { timeoutMs: 5 } as LockOptions)).rejects.toMatchObject({
      code: 'ZK_LOCK_CONFIG',
    });
  });

  it('should know its own options', async () => {
    const options: LockOptions[] = [{ mode: 'read' }, { permits: 2 }, { stripes: 2 }];
    for (const [at, each] of options.entries()) {
      await expect(a.locks.withLock(`own-${at}`, () => 'ran', each)).resolves.toBe('ran');
    }
  });

  it('should know the options of each kind of lock, and no others', async () => {
    const permits = { permits: 1 } as object;
    const known = /There is no option "permits"\. .*Known: waitMs, [a-zA-Z, ]+, purpose\.$/;
    const { read, write } = a.locks.readWriteLock('rw');
    const recipes = [a.locks.mutex('m'), read, write, a.locks.multiLock(['x', 'y'])];
    for (const recipe of recipes) {
      await expect(recipe.acquire(permits)).rejects.toThrow(known);
      await expect(recipe.tryAcquire(permits)).rejects.toThrow(known);
      await expect(recipe.withLock(() => 1, permits)).rejects.toThrow(known);
    }
    const mode = { mode: 'read' } as object;
    for (const recipe of [...recipes, a.locks.semaphore('s', 1)]) {
      await expect(recipe.acquire(mode)).rejects.toThrow(/There is no option "mode"/);
    }
    await waitFor(() => a.locks.stats().held === 0);
    expect(a.locks.stats().waiting).toBe(0);
  });

  it.each([null, 5, 'fast', []])('should refuse %p as options', async (options) => {
    const given = options as AcquireOptions;
    const recipes = [
      a.locks.mutex('a'),
      a.locks.readWriteLock('a').read,
      a.locks.semaphore('a', 1),
      a.locks.multiLock(['a', 'b']),
    ];
    for (const call of [
      () => a.locks.acquire('a', given),
      () => a.locks.tryAcquire('a', given),
      () => a.locks.withLock('a', () => 1, given),
      () => a.locks.contenders('a', given as object),
      () => a.locks.requestRelease('a', given as object),
      ...recipes.flatMap((recipe) => [
        () => recipe.acquire(given),
        () => recipe.tryAcquire(given),
        () => recipe.withLock(() => 1, given),
      ]),
    ]) {
      await expect(call()).rejects.toThrow(CONFIG);
      await expect(call()).rejects.toThrow(/^options is .* an object\.$/);
    }
  });

  it.each([
    ['waitMs', '3', "'3'", 'integers from 0 to 2147483647 (milliseconds)'],
    ['maxHoldMs', 0, '0', 'integers from 1 to 2147483647 (milliseconds)'],
    ['signal', 3, '3', 'AbortSignals'],
    ['signal', {}, '{}', 'AbortSignals'],
    ['reentrant', 'no', "'no'", 'true and false'],
    ['metadata', 'x', "'x'", 'objects'],
    ['metadata', [], '[]', 'objects'],
    ['purpose', 5, '5', 'strings of at most 1024 bytes'],
    ['whenUnreachable', 'lokal', "'lokal'", "'fail' and 'local'"],
    ['mode', 'write ', "'write '", "'read' and 'write'"],
    ['mode', 'exclusive', "'exclusive'", "'read' and 'write'"],
  ])('should refuse %s = %p, show it and tell what is allowed', async (name, value, shown, allowed) => {
    const refused = a.locks.acquire('a', { [name]: value });
    await expect(refused).rejects.toThrow(CONFIG);
    await expect(refused).rejects.toThrow(`Option "${name}" is ${shown}; allowed are ${allowed}.`);
  });

  it('should refuse to hold for longer than is allowed', async () => {
    await expect(a.locks.acquire('a', { minHoldMs: 300, maxHoldMs: 200 })).rejects.toThrow(
      /Option "minHoldMs" is 300, which is more than "maxHoldMs" \(200\)/,
    );
    await expect(a.locks.withLock('a', () => 'ran', { minHoldMs: 1, maxHoldMs: 1_000 })).resolves.toBe('ran');
  });

  it('should refuse a body that is no function, before it takes the lock', async () => {
    await using _busy = await a.locks.acquire('busy');
    for (const body of [{ waitMs: 1 }, undefined]) {
      await expect(a.locks.withLock('busy', body as never)).rejects.toThrow(messages.bodyNotAFunction(body));
    }
  });

  it('should refuse a key that is none', async () => {
    for (const key of [null, undefined, 5, {}, { key: 'a' }] as never[]) {
      const calls = [
        async () => a.locks.acquire(key),
        async () => a.locks.withLock(key, () => 1),
        async () => a.locks.withLock([{ key }, 'a'], () => 1),
        async () => a.locks.contenders(key),
        async () => a.locks.requestRelease(key),
        async () => a.locks.semaphore(key, 1),
        async () => a.locks.sharedCount(key),
        async () => a.locks.multiLock([{ key }]),
      ];
      for (const call of calls) await expect(call()).rejects.toThrow(messages.keyNotAString(key));
    }
    expect(() => a.locks.multiLock([null as never])).toThrow(KEY);
    expect(() => lockKey('a:<id>', null as never)).toThrow(messages.valuesNotAnObject(null));
    expect(() => lockKey('a:<id>', 5 as never)).toThrow(KEY);
  });

  it.each([null, undefined, 'a', { key: 'a' }])('should refuse %p as the list of a multi-lock', (keys) => {
    expect(() => a.locks.multiLock(keys as never)).toThrow(CONFIG);
    expect(() => a.locks.multiLock(keys as never)).toThrow(messages.keysNotAList(keys));
  });

  it('should tell how several keys are taken as one', async () => {
    const keys = ['a', 'b'] as unknown as string;
    await expect(a.locks.acquire(keys)).rejects.toThrow(messages.keyNotAString(keys));
    await expect(a.locks.acquire(keys)).rejects.toThrow(/multiLock\(keys\)/);
  });

  it('should never take a lock, or what is known of one, for a key', async () => {
    const lock = await a.locks.acquire('held');
    const [contender] = await a.locks.contenders('held');
    const things: [thing: object, named: RegExp][] = [
      [a.locks.semaphore('d', 3), /class Semaphore of "d"/],
      [a.locks.mutex('d'), /class Mutex of "d"/],
      [a.locks.readWriteLock('d').read, /class QueueLock of "d"/],
      [a.locks.readWriteLock('d'), /class ReadWriteLock/],
      [a.locks.multiLock(['d', 'e']), /class MultiLock of "d, e"/],
      [a.locks.sharedCount('d'), /class SharedCount of "d"/],
      [a.locks.leaderElection('d'), /class LeaderElection of "d"/],
      [lock, /class LockHandle of "held"/],
      [contender!, /position, state, mode, .* would be ignored/],
    ];
    for (const [thing, named] of things) {
      const key = thing as never;
      for (const call of [
        async () => a.locks.acquire(key),
        async () => a.locks.withLock([key, 'x'], () => 1),
        async () => a.locks.contenders(key),
        async () => a.locks.multiLock([{ key }]),
      ]) {
        await expect(call()).rejects.toThrow(CONFIG);
        await expect(call()).rejects.toThrow(named);
      }
    }
    for (const [thing] of things.filter(([, named]) => !/Mutex|QueueLock/.test(named.source))) {
      expect(() => a.locks.multiLock([thing as never])).toThrow(CONFIG);
    }
    await lock.release();
  });

  it('should take mutexes and both sides of read/write locks into a multi-lock, of the same connection', async () => {
    const { read, write } = a.locks.readWriteLock({ path: '/parts/rw' });
    const mutex = a.locks.mutex('part');
    const held = await a.locks.multiLock([read, mutex]).acquire();
    expect(held.path).toBe('/locks/part, /parts/rw');
    expect((await b.locks.contenders({ path: '/parts/rw' })).map(({ mode }) => mode)).toEqual(['read']);
    expect(await b.locks.mutex('part').tryAcquire()).toBeNull();
    await (await b.locks.acquire({ path: '/parts/rw' }, { mode: 'read' })).release();
    await held.release();
    await a.locks.multiLock([write, read]).withLock(async () => {
      expect((await b.locks.contenders({ path: '/parts/rw' })).map(({ mode }) => mode)).toEqual(['write']);
    });
    expect(() => b.locks.multiLock([mutex])).toThrow(/"part" is a lock of another connection/);
  });

  it('should refuse what an entry of a multi-lock, or a path, does not know', async () => {
    const entries: [entry: object, text: RegExp][] = [
      [{ path: '/a', mode: 'read' }, /\{ key: \{ path: '\/a' \}, mode: 'read' \}/],
      [{ path: '/a', permits: 2 }, /permits would be ignored/],
      [{ key: 'b', mod: 'read' }, /no property "mod" of a key in a list\. Did you mean "mode"\?/],
      [{ key: 'b', permits: 2 }, /no property "permits" of a key in a list\. .*Known: key, mode\./],
      [{ key: 'b', mode: 'permit' }, /Option "mode" is 'permit'; allowed are 'read' and 'write'/],
      [{ key: { path: '/a', mode: 'read' } }, /mode would be ignored/],
    ];
    for (const [entry, text] of entries) {
      expect(() => a.locks.multiLock([entry as never])).toThrow(CONFIG);
      expect(() => a.locks.multiLock([entry as never])).toThrow(text);
    }
    await expect(a.locks.acquire({ path: '/a', mode: 'read' } as never)).rejects.toThrow(
      /acquire\(\{ path: '\/a' \}, \{ mode: 'read' \}\)/,
    );
    await expect(a.locks.acquire({ path: '/a', mode: undefined }).then((lock) => lock.path)).resolves.toBe(
      '/a',
    );
  });

  it.each([
    ['lost', (): void => undefined, /There is no event 'lost'\. Known: "/],
    [undefined, (): void => undefined, /There is no event undefined\./],
    [null, undefined, /There is no event null\./],
    ['', undefined, /The listener of ".*" is undefined\. Expected a function\./],
    ['', 5, /The listener of ".*" is 5\. Expected a function\./],
  ])('should refuse to tell of %p to %p', async (given, listener, text) => {
    const several = await a.locks.multiLock(['on-x', 'on-y']).acquire();
    const lock = await a.locks.acquire('on');
    const emitters: [right: string, on: (event: never, listener: never) => () => void][] = [
      ['release-requested', (event, listener) => lock.on(event, listener)],
      ['release-requested', (event, listener) => several.on(event, listener)],
      ['degraded', (event, listener) => a.locks.on(event, listener)],
      ['state', (event, listener) => a.connection.on(event, listener)],
    ];
    for (const [right, on] of emitters) {
      const event = (given === '' ? right : given) as never;
      const listen = (): void => void on(event, listener as never);
      expect(listen).toThrow(CONFIG);
      expect(listen).toThrow(text);
    }
    await lock.release();
    await several.release();
  });

  it('should know what a request to let go consists of', async () => {
    await expect(a.locks.requestRelease('a', { raeson: 'x' } as never)).rejects.toThrow(
      /There is no option "raeson"\. Did you mean "reason"\?/,
    );
    await expect(a.locks.requestRelease('a', { reason: 5 as never })).rejects.toThrow(/Option "reason" is 5/);
    await expect(a.locks.contenders('a', { stripe: 5 } as never)).rejects.toThrow(/Did you mean "stripes"/);
  });
});

/** What is said when the holder is the process that waits. */
describe('A wait for a lock of this very process', () => {
  let server: ZooKeeperServer;
  let a: LockClient;
  beforeAll(async () => {
    server = await ZooKeeperServer.start();
    a = await LockClient.open(server.connectString);
  });
  afterAll(async () => {
    await a[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  const BY_HAND =
    /very process; a lock from acquire\(\) is not reentrant: .* withLock\(\) or @DistributedLock/;
  const wait = { waitMs: 400 };

  it('should point to withLock for locks by hand, of one key or several', async () => {
    await using _held = await a.locks.acquire('hand');
    await expect(a.locks.acquire('hand', wait)).rejects.toThrow(BY_HAND);
    await expect(a.locks.multiLock(['hand', 'other']).acquire(wait)).rejects.toThrow(BY_HAND);
    await using _writer = await a.locks.readWriteLock('rw').write.acquire();
    await expect(a.locks.readWriteLock('rw').read.acquire(wait)).rejects.toThrow(BY_HAND);
  });

  it('should not point to withLock for reentrant: false', async () => {
    const strict = { ...wait, reentrant: false };
    await a.locks.withLock('strict', async () => {
      const again = a.locks.withLock('strict', () => 1, strict);
      await expect(again).rejects.toThrow(/very process; with reentrant: false/);
      expect(await again.catch(String)).not.toContain('acquire()');
    });
  });

  it('should not point to withLock for a writer behind its own reader', async () => {
    const { read, write } = a.locks.readWriteLock('upgrade');
    await using _reading = await read.acquire();
    const writing = write.acquire(wait);
    await expect(writing).rejects.toThrow(/very process, as a reader: .* give the read lock back before/);
    expect(await writing.catch(String)).not.toContain('withLock');
  });
});
