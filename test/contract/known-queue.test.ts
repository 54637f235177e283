import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { LockOptions } from '../../lib/locking/lock.service.js';
import { EACH_ITS_NODE, LockClient } from '../support/lock-client.js';
import { waitFor } from '../support/wait-for.js';
import { ZkAdmin } from '../support/zk-admin.js';
import { ZkProxy } from '../support/zk-proxy.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

const sequenceOf = (name: string): number => Number(name.slice(-10));

/** A session that was alone with a key does not ask for its queue again, unless somebody came in between. */
describe('A queue that is known', () => {
  let server: ZooKeeperServer;
  let proxy: ZkProxy;
  let admin: ZkAdmin;
  let client: LockClient;
  let other: LockClient;
  let key: string;
  let count = 0;

  const parent = (): string => `/locks/${key}`;
  const ops = (): string[] => proxy.requests.map(({ op }) => op);
  const cycle = async (options: LockOptions = {}, locks = client.locks): Promise<bigint> => {
    const lock = await locks.acquire(key, options);
    await lock.release();
    return lock.fencingToken;
  };
  /** Until a cycle needs no list. */
  const becomeKnown = async (options: LockOptions = {}): Promise<void> => {
    for (let i = 0; i < 3; i += 1) await cycle(options);
    proxy.reset();
    await cycle(options);
    expect(ops()).toEqual(['create', 'delete']);
    proxy.reset();
  };

  beforeAll(async () => {
    server = await ZooKeeperServer.start();
    proxy = await ZkProxy.start(server);
    admin = await ZkAdmin.connect(server.connectString);
    other = await LockClient.open(server.connectString, { sessionTimeoutMs: 60_000, ...EACH_ITS_NODE });
  });
  afterAll(async () => {
    await other[Symbol.asyncDispose]();
    admin.close();
    await proxy[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    key = `known-${(count += 1)}`;
    client = await LockClient.open(proxy.connectString, { sessionTimeoutMs: 60_000 });
  });
  afterEach(async () => {
    await client[Symbol.asyncDispose]();
    expect(await admin.children(parent())).toEqual([]);
  });

  it.each<[string, LockOptions]>([
    ['a mutex', {}],
    ['a mutex of one node for each caller', EACH_ITS_NODE],
    ['a read lock', { mode: 'read' }],
    ['a write lock', { mode: 'write' }],
  ])('should cost two writes and nothing else when %s is taken again and again', async (_kind, options) => {
    await becomeKnown(options);
    for (let i = 0; i < 20; i += 1) await cycle(options);
    expect(ops()).toEqual(Array.from({ length: 20 }, () => ['create', 'delete']).flat());
  });

  it('should give rising tokens, over the end of what one base can count, and beside another session', async () => {
    await becomeKnown();
    const tokens: bigint[] = [];
    for (let i = 0; i < 2_200; i += 1) tokens.push(await cycle());
    expect(proxy.count('getChildren2')).toBeGreaterThan(0); // a new base
    for (let i = 0; i < 20; i += 1) {
      tokens.push(await cycle({}, other.locks));
      for (let own = 0; own <= i; own += 1) tokens.push(await cycle());
    }
    expect(tokens.every((token, at) => at === 0 || token > tokens[at - 1]!)).toBe(true);
  });

  it('should ask again when somebody came and went, and when somebody holds it', async () => {
    await becomeKnown();
    await cycle({}, other.locks);
    await cycle();
    expect(ops()).toEqual(['create', 'getChildren2', 'delete']);

    await becomeKnown();
    const held = await other.locks.acquire(key);
    await expect(client.locks.tryAcquire(key)).resolves.toBeNull();
    const waiting = client.locks.acquire(key);
    await waitFor(async () => (await admin.children(parent())).length === 2);
    await held.release();
    const lock = await waiting;
    expect(lock.fencingToken).toBeGreaterThan(held.fencingToken);
    await lock.release();
  });

  it('should not take the numbers of a parent that was made again for those it knew', async () => {
    await becomeKnown();
    // The same number comes next, as if nobody had been there; but somebody holds the lock.
    const lock = await client.locks.acquire(key);
    const [own] = await admin.children(parent());
    await lock.release();
    const next = sequenceOf(own!) + 1;
    await admin.delete(parent());
    await admin.ensure(parent());
    for (let at = 0; at < next - 1; at += 1) {
      await admin.delete(await admin.create(`${parent()}/filler-`, '', 'ephemeral-sequential'));
    }
    const held = await other.locks.acquire(key);
    expect(sequenceOf((await admin.children(parent()))[0]!)).toBe(next - 1);

    await expect(client.locks.tryAcquire(key)).resolves.toBeNull();
    await held.release();
    expect(sequenceOf(await admin.create(`${parent()}/next-`, '', 'ephemeral-sequential'))).toBe(next + 1);
    for (const child of await admin.children(parent())) await admin.delete(`${parent()}/${child}`);
  });

  it('should not go on with the tokens of a parent that is gone when the numbers of the next one meet its own', async () => {
    const tokens: bigint[] = [];
    // Leaves with a node of this session behind it: what it counted is no longer the last.
    const cycleInUse = async (): Promise<void> => {
      const lock = await client.locks.acquire(key, EACH_ITS_NODE);
      await expect(client.locks.tryAcquire(key, EACH_ITS_NODE)).resolves.toBeNull();
      await lock.release();
      tokens.push(lock.fencingToken);
    };
    for (let number = 0; number < 4; number += 1) tokens.push(await cycle(EACH_ITS_NODE));
    await admin.delete(parent());
    for (let number = 0; number < 4; number += 2) await cycleInUse();
    tokens.push(await cycle(EACH_ITS_NODE));
    expect(tokens.every((token, at) => at === 0 || token > tokens[at - 1]!)).toBe(true);
  });

  it('should ask again after a break of the connection', async () => {
    await becomeKnown();
    const restored = new Promise<void>((resolve) => {
      client.connection.on('state', ({ event }) => event === 'restored' && resolve());
    });
    proxy.cutAll();
    await restored;
    proxy.reset();
    await cycle();
    expect(ops()).toContain('getChildren2');
  });

  it('should ask again after a connection that broke in the middle of its delete', async () => {
    await becomeKnown();
    const fault = proxy.on({ op: 'delete' }, 'cut-before');
    const lock = await client.locks.acquire(key);
    void lock.release();
    const next = client.locks.acquire(key);
    await fault.hit();
    await (await next).release();
    await waitFor(async () => (await admin.children(parent())).length === 0);
  });

  it('should keep one holder at a time, in the order of the calls, when all that wait are of one session', async () => {
    let inside = 0;
    const order: number[] = [];
    const tokens: bigint[] = [];
    const callers = Array.from({ length: 40 }, (_, caller) =>
      (async () => {
        for (let round = 0; round < 5; round += 1) {
          await client.locks.withLock(
            key,
            async ({ fencingToken }) => {
              expect((inside += 1)).toBe(1);
              order.push(caller);
              tokens.push(fencingToken);
              await new Promise(setImmediate);
              inside -= 1;
            },
            EACH_ITS_NODE,
          );
        }
      })(),
    );
    await Promise.all(callers);
    expect(order).toEqual(Array.from({ length: 5 }, () => [...callers.keys()]).flat());
    expect(tokens.every((token, at) => at === 0 || token > tokens[at - 1]!)).toBe(true);
    expect(proxy.count('getChildren2')).toBeLessThan(1.5 * order.length); // one when it has come, none before
  });

  it('should find the way on when those it knew before itself are gone', async () => {
    const controller = new AbortController();
    const held = await client.locks.acquire(key, EACH_ITS_NODE);
    const leaving = Array.from({ length: 5 }, () =>
      client.locks.acquire(key, { ...EACH_ITS_NODE, signal: controller.signal }),
    );
    const last = client.locks.acquire(key, EACH_ITS_NODE);
    await waitFor(async () => (await admin.children(parent())).length === 7);
    controller.abort();
    for (const left of leaving) await expect(left).rejects.toMatchObject({ code: 'ZK_LOCK_ABORTED' });
    const behind = client.locks.acquire(key, EACH_ITS_NODE);
    await waitFor(async () => (await admin.children(parent())).length === 3);
    await held.release();
    await (await last).release();
    await (await behind).release();
  });

  it('should not watch the parents of keys that are not used again', async () => {
    proxy.reset();
    for (let i = 0; i < 50; i += 1) await client.locks.withLock(`${key}-once-${i}`, () => undefined);
    expect(proxy.requests.filter(({ watch }) => watch)).toEqual([]);
  });
});
