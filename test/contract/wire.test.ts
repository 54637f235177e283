import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { EACH_ITS_NODE, LockClient } from '../support/lock-client.js';
import { waitFor } from '../support/wait-for.js';
import { ZkProxy } from '../support/zk-proxy.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

/** What a lock costs, counted on the wire. */
describe('Requests on the wire', () => {
  let server: ZooKeeperServer;
  let proxy: ZkProxy;
  let client: LockClient;
  let other: LockClient;
  let key: string;
  let count = 0;

  beforeAll(async () => {
    server = await ZooKeeperServer.start();
    proxy = await ZkProxy.start(server);
    // A session timeout so long that no keep-alive falls into a measurement.
    client = await LockClient.open(proxy.connectString, { sessionTimeoutMs: 60_000, ...EACH_ITS_NODE });
    other = await LockClient.open(server.connectString, EACH_ITS_NODE);
  });
  afterAll(async () => {
    await client[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
    await proxy[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    key = `wire-${(count += 1)}`;
    await (await client.locks.acquire(key)).release(); // the parent exists now, and the client knows it
    proxy.reset();
  });

  const ops = (): string[] => proxy.requests.map(({ op, watch }) => (watch ? `${op}+watch` : op));
  const untilWatching = (nodes: number): Promise<unknown> =>
    waitFor(() => proxy.requests.filter(({ watch, answer }) => watch && answer).length === nodes);

  it('should acquire a free lock with create and list, sent together: one round trip', async () => {
    let lock = undefined as Awaited<ReturnType<typeof client.locks.acquire>> | undefined;
    const roundTrips = await proxy.roundTrips(async () => {
      lock = await client.locks.acquire(key);
    });
    expect(ops()).toEqual(['create', 'getChildren2']);
    expect(roundTrips).toBe(1);
    await lock!.release();
  });

  it('should acquire a lock of a new key in one round trip, too', async () => {
    let lock = undefined as Awaited<ReturnType<typeof client.locks.acquire>> | undefined;
    const roundTrips = await proxy.roundTrips(async () => {
      lock = await client.locks.acquire(`${key}-new`);
    });
    expect(ops()).toEqual(['createContainer', 'create', 'getChildren2']);
    expect(roundTrips).toBe(1);
    await lock!.release();
  });

  it.each([
    ['read lock', () => client.locks.readWriteLock(key).read, 1, ['create', 'getChildren2']],
    ['write lock', () => client.locks.readWriteLock(key).write, 1, ['create', 'getChildren2']],
    [
      'permit',
      () => client.locks.semaphore(key, 2),
      2,
      ['create', 'getChildren2', 'create', 'getChildren2', 'getChildren2', 'delete'],
    ],
    [
      'multi-lock of two',
      () => client.locks.multiLock([`${key}-1`, `${key}-2`]),
      2,
      ['create', 'getChildren2', 'create', 'getChildren2'],
    ],
  ])(
    'should acquire a free %s with the requests that docs/recipes.md tells',
    async (_kind, recipe, expected, requests) => {
      key = `${key}-kind`;
      await (await recipe().acquire()).release(); // the parents exist now
      proxy.reset();
      const held: Awaited<ReturnType<typeof client.locks.acquire>>[] = [];
      // Nobody waits for the delete by which a semaphore lets the next one in.
      const roundTrips = await proxy.roundTrips(
        async () => held.push(await recipe().acquire()),
        ({ op }) => op !== 'delete',
      );
      await waitFor(() => proxy.requests.length === requests.length);
      expect(ops()).toEqual(requests);
      expect(roundTrips).toBe(expected);
      for (const lock of held) await lock.release();
    },
  );

  it('should release with one delete', async () => {
    const lock = await client.locks.acquire(key);
    proxy.reset();
    await lock.release();
    expect(ops()).toEqual(['delete']);
  });

  it('should watch only the node before its own and its own, and need no request to be woken', async () => {
    const holder = await other.locks.acquire(key);
    const waiting = client.locks.acquire(key);
    await untilWatching(2);
    expect(ops()).toEqual(['create', 'getChildren2', 'getData+watch', 'getData+watch']);
    const [before, own] = await other.locks.contenders(key);
    expect(proxy.requests.slice(-2).map(({ path }) => path)).toEqual([own!.path, before!.path]);
    proxy.reset();
    await holder.release();
    const lock = await waiting;
    expect(ops()).toEqual([]);
    await lock.release();
  });

  it('should wake one waiter per release, not the herd', async () => {
    const holder = await other.locks.acquire(key);
    const order: number[] = [];
    const waiters: Promise<void>[] = [];
    for (let at = 0; at < 5; at += 1) {
      waiters.push(client.locks.withLock(key, () => void order.push(at)));
      await waitFor(async () => (await other.locks.contenders(key)).length === at + 2);
    }
    await untilWatching(6); // the first one watches its own node, too
    proxy.reset();
    await holder.release();
    await Promise.all(waiters);
    expect(order).toEqual([0, 1, 2, 3, 4]);
    // Each release tells the next in line of this session that it is; it makes sure of its own node, and lists nothing.
    expect(proxy.count('delete')).toBe(5);
    expect(proxy.count('getData')).toBe(4);
    expect(proxy.requests).toHaveLength(9);
  });

  it('should list once more for whoever joined deeper in a queue of others', async () => {
    const others = [await other.locks.acquire(key), other.locks.acquire(key)] as const;
    await waitFor(async () => (await other.locks.contenders(key)).length === 2);
    const waiting = client.locks.acquire(key);
    await untilWatching(1);
    proxy.reset();
    await others[0].release();
    await (await others[1]).release();
    const lock = await waiting;
    expect(ops()).toEqual(['getChildren2']);
    await lock.release();
  });
});
