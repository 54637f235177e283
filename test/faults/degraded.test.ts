import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FallbackChange } from '../../lib/recipes/local-fallback.js';
import { LockClient } from '../support/lock-client.js';
import { waitFor } from '../support/wait-for.js';
import { ZkProxy } from '../support/zk-proxy.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

describe("Degraded operation (whenUnreachable: 'local')", () => {
  let server: ZooKeeperServer;
  let proxy: ZkProxy;
  let client: LockClient;
  let other: LockClient;

  beforeAll(async () => {
    server = await ZooKeeperServer.start();
    proxy = await ZkProxy.start(server);
    client = await LockClient.open(proxy.connectString, { unreachableAfterMs: 300, sessionTimeoutMs: 2_000 });
    other = await LockClient.open(server.connectString);
  });
  afterAll(async () => {
    await client[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
    await proxy[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  const local = { whenUnreachable: 'local' } as const;
  const partition = async (): Promise<void> => {
    proxy.refuse();
    proxy.cutAll();
    await waitFor(() => client.connection.state !== 'connected');
  };
  const heal = async (): Promise<void> => {
    proxy.accept();
    await client.connection.connected(15_000);
  };

  it('should never happen unless it is asked for (B37)', async () => {
    await partition();
    await expect(client.locks.acquire('never', { waitMs: 900 })).rejects.toMatchObject({
      code: 'ZK_LOCK_CONNECTION',
    });
    expect(client.locks.degraded()).toEqual({ active: false, held: 0 });
    await heal();
  });

  it('should use ZooKeeper while it is reachable', async () => {
    const lock = await client.locks.acquire('reachable', local);
    expect(lock.degraded).toBe(false);
    lock.assertHeld();
    expect(await other.locks.tryAcquire('reachable')).toBeNull();
    await lock.release();
  });

  it('should exclude callers of this process, say what it is, and come back cleanly', async () => {
    const changes: FallbackChange[] = [];
    const forget = client.locks.on('degraded', (change) => changes.push(change));
    await partition();
    const first = await client.locks.acquire('k', local); // waits for the breaker, not for its own deadline
    expect(client.locks.degraded()).toEqual({ active: true, held: 1 });
    expect(changes.map(({ active }) => active)).toEqual([true]);
    expect(first).toMatchObject({ degraded: true, state: 'held' });
    expect(() => first.fencingToken).toThrow(/no fencing token/);
    expect(() => first.assertHeld()).toThrow(/in this process only/);
    await expect(client.locks.acquire('k', { ...local, waitMs: 50 })).rejects.toThrow(/busy in this process/);
    expect(await client.locks.tryAcquire('k', local)).toBeNull();
    const second = client.locks.acquire('k', local);
    await first.release();
    expect((await second).degraded).toBe(true);
    const strict = client.locks.acquire('k', { waitMs: 200 }).catch((error: unknown) => error);
    expect(await strict).toMatchObject({ code: 'ZK_LOCK_CONNECTION' });

    await heal();
    expect(client.locks.degraded().active).toBe(false);
    expect(changes.map(({ active }) => active)).toEqual([true, false]);
    // The fleet's lock does not overtake a degraded holder of this process.
    const third = client.locks.acquire('k', local);
    const early = await Promise.race([
      third,
      waitFor(() => client.locks.stats().waiting === 1).then(() => 'waiting'),
    ]);
    expect(early).toBe('waiting');
    await (await second).release();
    const lock = await third;
    expect(lock.degraded).toBe(false);
    await lock.release();
    expect(client.locks.degraded()).toEqual({ active: false, held: 0 });
    expect(client.lines.filter((line) => line.includes('unreachable'))).toHaveLength(1);
    forget();
  });

  it('should wait for a section that lost the lock of the fleet but still runs here', async () => {
    const lost = await client.locks.acquire('still-running', local);
    await partition();
    await waitFor(() => !lost.isHeld());
    const next = client.locks.acquire('still-running', { ...local, waitMs: 10_000 });
    const early = await Promise.race([
      next,
      waitFor(() => client.locks.degraded().active).then(() => 'active'),
    ]);
    expect(early).toBe('active');
    expect(client.locks.degraded().held).toBe(0);
    await lost.release();
    expect((await next).degraded).toBe(true);
    await (await next).release();
    await heal();
  });

  it('should let in as many as each kind of lock does, and keep kinds apart', async () => {
    await partition();
    await (await client.locks.acquire('warm', local)).release();
    const { read, write } = client.locks.readWriteLock('shared');
    const readers = [await read.acquire(local), await read.acquire(local)];
    expect(await write.tryAcquire(local)).toBeNull();
    for (const reader of readers) await reader.release();
    const writer = await write.acquire(local);
    expect(await read.tryAcquire(local)).toBeNull();
    await writer.release();

    const semaphore = client.locks.semaphore('permits', 3);
    const two = await semaphore.acquire({ ...local, permits: 2 });
    expect(two.degraded).toBe(true);
    const third = await semaphore.acquire(local);
    expect(await semaphore.tryAcquire(local)).toBeNull();
    const all = semaphore.acquire({ ...local, permits: 3 });
    await waitFor(() => client.locks.stats().waiting === 1);
    await expect(client.locks.acquire('permits', local)).rejects.toMatchObject({ code: 'ZK_LOCK_CONFIG' });
    await two.release();
    await third.release();
    await (await all).release();
    expect(client.locks.degraded().held).toBe(0);
    await (await client.locks.acquire('permits', local)).release(); // nobody uses it as a semaphore any more
    await heal();
  });
});
