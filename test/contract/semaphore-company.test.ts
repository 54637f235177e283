import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { LockClient } from '../support/lock-client.js';
import { waitFor } from '../support/wait-for.js';
import { ZkAdmin } from '../support/zk-admin.js';
import { ZkProxy } from '../support/zk-proxy.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

describe('A semaphore and others', () => {
  let server: ZooKeeperServer;
  let proxy: ZkProxy;
  let admin: ZkAdmin;
  let a: LockClient;
  let b: LockClient;
  let key: string;
  let count = 0;

  const withChildren = (below: string, size: number): Promise<unknown> =>
    waitFor(async () => (await admin.children(`/locks/${below}`)).length === size, {
      what: `${size} below ${below}`,
    });

  beforeAll(async () => {
    server = await ZooKeeperServer.start();
    proxy = await ZkProxy.start(server);
    admin = await ZkAdmin.connect(server.connectString);
    a = await LockClient.open(server.connectString);
    b = await LockClient.open(proxy.connectString, { attemptMs: 20_000 });
  });
  afterAll(async () => {
    await a[Symbol.asyncDispose]();
    await b[Symbol.asyncDispose]();
    admin.close();
    await proxy[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    key = `company-${(count += 1)}`;
  });

  it.each<[string, (key: string) => Promise<{ release(): Promise<void> }>]>([
    ['mutex', (of) => a.locks.acquire(of)],
    ['reader', (of) => a.locks.readWriteLock(of).read.acquire()],
    ['writer', (of) => a.locks.readWriteLock(of).write.acquire()],
    [
      'leader',
      async (of) => {
        const election = a.locks.leaderElection(of);
        election.start();
        await election.waitForLeadership();
        return { release: () => election.close() };
      },
    ],
  ])('should be refused beside a %s of its key, whoever came first (B18)', async (_kind, acquire) => {
    const held = await acquire(key);
    await expect(b.locks.semaphore(key, 2).acquire()).rejects.toMatchObject({
      code: 'ZK_LOCK_CONFIG',
      key,
      message: expect.stringMatching(/another kind of lock/),
    });
    await withChildren(`${key}/leases`, 0);
    await withChildren(`${key}/locks`, 0);
    await held.release();
    const permit = await b.locks.semaphore(`${key}-2`, 2).acquire();
    await expect(a.locks.acquire(`${key}-2`)).rejects.toMatchObject({ code: 'ZK_LOCK_CONFIG' });
    await permit.release();
  });

  it('should find the other kind in spite of a lost answer (B18)', async () => {
    const held = await a.locks.acquire(key);
    const fault = proxy.on({ op: 'getChildren2', path: `/locks/${key}` }, 'drop-answer-and-cut');
    await expect(b.locks.semaphore(key, 2).acquire()).rejects.toMatchObject({ code: 'ZK_LOCK_CONFIG' });
    expect(fault.hits).toBe(1);
    await held.release();
  });

  it('should wake whoever waits when its shared count is made, also after it was removed', async () => {
    const size = b.locks.sharedCount(`${key}-size`);
    const first = b.locks.semaphore(key, size).acquire({ waitMs: 20_000 });
    await withChildren(`${key}/leases`, 1);
    await waitFor(() => proxy.count('exists', size.path) === 1);
    await a.locks.sharedCount(`${key}-size`).set(1);
    const held = await first;
    const second = b.locks.semaphore(key, size).acquire({ waitMs: 20_000 });
    await withChildren(`${key}/leases`, 2);
    await admin.delete(size.path);
    await waitFor(() => proxy.count('exists', size.path) === 2);
    await a.locks.sharedCount(`${key}-size`).set(2);
    await (await second).release();
    await held.release();
  });

  it('should make a shared count at the top, and where nodes vanish', async () => {
    const top = a.locks.sharedCount({ path: `/${key}` });
    await top.set(3);
    expect(await top.get()).toBe(3);
    const deep = a.locks.sharedCount({ path: `/${key}-a/b/c` });
    await deep.set(1);
    await deep.set(2);
    expect(await deep.get()).toBe(2);
  });

  // b's attemptMs is so long that none of these could pass by its end.
  it('should be busy at once for whoever does not want to wait behind somebody at the door', async () => {
    const semaphore = ({ locks }: LockClient) => locks.semaphore(key, 1);
    const held = await semaphore(a).acquire();
    const waiting = semaphore(a).acquire({ purpose: 'I only wait', waitMs: 30_000 });
    await withChildren(`${key}/leases`, 2);
    const before = performance.now();
    expect(await semaphore(b).tryAcquire()).toBeNull();
    expect(performance.now() - before).toBeLessThan(10_000);
    const busy = semaphore(b).acquire({ waitMs: 600 });
    await expect(busy).rejects.toMatchObject({ code: 'ZK_LOCK_TIMEOUT' });
    await expect(busy).rejects.not.toThrow(/I only wait/); // who is at the door holds nothing
    await held.release();
    await (await waiting).release();
  });

  it('should be busy at once, too, behind somebody who waits for more than there is', async () => {
    const semaphore = ({ locks }: LockClient) => locks.semaphore(key, 2);
    const held = await semaphore(a).acquire();
    const waiting = semaphore(a).acquire({ permits: 2, waitMs: 30_000 });
    await withChildren(`${key}/leases`, 3);
    const before = performance.now();
    expect(await semaphore(b).tryAcquire()).toBeNull();
    expect(performance.now() - before).toBeLessThan(10_000);
    await held.release();
    await (await waiting).release();
  });

  it('should not look busy because others pass through the door', async () => {
    const all = await Promise.all(
      Array.from({ length: 30 }, (_, at) => (at % 2 ? a : b).locks.semaphore(key, 30).tryAcquire()),
    );
    expect(all.filter((permit) => permit === null)).toEqual([]);
    for (const permit of all) await permit?.release();
  });

  it('should refuse more than 1,000 permits at once', async () => {
    const semaphore = a.locks.semaphore(key, 2 ** 31 - 1);
    await expect(semaphore.acquire({ permits: 1_001 })).rejects.toMatchObject({
      code: 'ZK_LOCK_CONFIG',
      message: expect.stringMatching(/"permits" is 1001; allowed are integers from 1 to 1000/),
    });
    await (await semaphore.acquire({ permits: 1_000 })).release();
  });
});
