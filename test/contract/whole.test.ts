import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { LockClient } from '../support/lock-client.js';
import { waitFor } from '../support/wait-for.js';
import { ZkAdmin } from '../support/zk-admin.js';
import { ZkProxy } from '../support/zk-proxy.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

describe('Several locks or permits as one whole', () => {
  let server: ZooKeeperServer;
  let proxies: [ZkProxy, ZkProxy];
  let admin: ZkAdmin;
  let a: LockClient;
  let b: LockClient;
  let other: LockClient;
  let key: string;
  let count = 0;

  const children = (below: string): Promise<string[]> => admin.children(`/locks/${below}`);
  const withChildren = (below: string, size: number): Promise<unknown> =>
    waitFor(async () => (await children(below)).length === size, { what: `${size} below ${below}` });
  const lossesToldBy = (client: LockClient): string[] =>
    client.lines.filter((line) => line.includes('was lost') || line.includes('three quarters'));

  beforeAll(async () => {
    server = await ZooKeeperServer.start();
    proxies = [await ZkProxy.start(server), await ZkProxy.start(server)];
    admin = await ZkAdmin.connect(server.connectString);
  });
  afterAll(async () => {
    admin.close();
    for (const proxy of proxies) await proxy[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    key = `whole-${(count += 1)}`;
    a = await LockClient.open(proxies[0].connectString);
    b = await LockClient.open(proxies[1].connectString);
    other = await LockClient.open(server.connectString);
  });
  afterEach(async () => {
    for (const proxy of proxies) proxy.reset();
    for (const client of [a, b, other]) await client[Symbol.asyncDispose]();
  });

  it('should begin again at the door of a semaphore after an expiry, so that two cannot block each other (B24)', async () => {
    const semaphore = ({ locks }: LockClient) => locks.semaphore(key, 2);
    const all = { permits: 2, waitMs: 20_000 };
    const held = await semaphore(other).acquire({ permits: 2 });
    const first = semaphore(a).acquire(all);
    await withChildren(`${key}/leases`, 4);
    const second = semaphore(b).acquire(all);
    await withChildren(`${key}/locks`, 2);
    // The one that expires would make one lease, the other one both of its own, then the first its second one.
    proxies[0].on({ op: 'create', path: /leases\/_c_/ }, 'pass');
    proxies[0].on({ op: 'create', path: /leases\/_c_/ }, { delayRequestMs: 500 });
    const gate = proxies[1].on({ op: 'create', path: /leases\/_c_/ }, 'hold-request');
    await proxies[0].expireSessions();
    await gate.hit();
    await waitFor(async () => (await children(`${key}/locks`)).length === 2);
    gate.release();
    await held.release();
    await (await second).release();
    await (await first).release();
    expect(lossesToldBy(a)).toEqual([]);
  });

  it('should begin again with its door when that is removed while permits are waited for (B24)', async () => {
    const semaphore = ({ locks }: LockClient) => locks.semaphore(key, 2);
    const held = await semaphore(other).acquire({ permits: 2 });
    const first = semaphore(a).acquire({ permits: 2 });
    await withChildren(`${key}/leases`, 4);
    const [door] = await children(`${key}/locks`);
    await admin.delete(`/locks/${key}/locks/${door}`);
    await waitFor(async () => {
      const doors = await children(`${key}/locks`);
      return doors.length === 1 && doors[0] !== door;
    });
    await withChildren(`${key}/leases`, 4);
    await held.release();
    await (await first).release();
  });

  it.each(['its session expires', 'somebody removes its node'])(
    'should queue again for all keys of a multi-lock when the first is lost while the second is waited for: %s (B32)',
    async (how) => {
      const keys = [`${key}-1`, `${key}-2`];
      const held = await other.locks.acquire(`${key}-2`);
      const waiting = a.locks.multiLock(keys).acquire({ waitMs: 20_000 });
      await withChildren(`${key}-2`, 2);
      const [node] = await children(`${key}-1`);
      if (how === 'its session expires') await proxies[0].expireSessions();
      else await admin.delete(`/locks/${key}-1/${node}`);
      await waitFor(async () => {
        const now = await children(`${key}-1`);
        return now.length === 1 && now[0] !== node;
      });
      await held.release();
      const lock = await waiting;
      expect(await lock.verify()).toBe(true);
      await lock.release();
      expect(lossesToldBy(a)).toEqual([]);
    },
  );

  it('should answer a lost first key with the timeout of the whole, never with its loss', async () => {
    const held = await other.locks.acquire(`${key}-2`);
    const waiting = a.locks.multiLock([`${key}-1`, `${key}-2`]).acquire({ waitMs: 3_000 });
    waiting.catch(() => undefined);
    await withChildren(`${key}-2`, 2);
    await proxies[0].expireSessions();
    await expect(waiting).rejects.toMatchObject({ code: 'ZK_LOCK_TIMEOUT' });
    await held.release();
  });

  it('should come through an expiry in the middle without waiting for anybody', async () => {
    const gate = proxies[0].on({ op: 'create', path: new RegExp(`${key}-2/`) }, 'hold-request');
    const lock = a.locks.multiLock([`${key}-1`, `${key}-2`]).tryAcquire({ attemptMs: 15_000 });
    await gate.hit();
    await proxies[0].expireSessions();
    gate.release();
    await (await lock)!.release();
  });

  it.each<[string, (client: LockClient) => Promise<{ release(): Promise<void>; isHeld(): boolean }>, string]>(
    [
      ['multi-lock', ({ locks }) => locks.multiLock([key, `${key}-2`]).acquire({ maxHoldMs: 600 }), '-2'],
      [
        'semaphore',
        ({ locks }) => locks.semaphore(key, 2).acquire({ permits: 2, maxHoldMs: 600 }),
        '/leases',
      ],
    ],
  )('should count maxHoldMs of a %s from when the whole is held', async (kind, acquire, below) => {
    const held = await (kind === 'semaphore'
      ? other.locks.semaphore(key, 2).acquire()
      : other.locks.acquire(`${key}-2`));
    const waiting = acquire(a);
    await withChildren(`${key}${below}`, kind === 'semaphore' ? 3 : 2);
    const since = performance.now();
    await waitFor(() => performance.now() - since > 900); // longer than maxHoldMs
    await held.release();
    const lock = await waiting;
    expect(lock.isHeld()).toBe(true);
    expect(lossesToldBy(a)).toEqual([]);
    await waitFor(() => !lock.isHeld());
    await lock.release();
    expect(lossesToldBy(a)).not.toEqual([]);
  });

  it('should say which of its keys was busy', async () => {
    const held = await other.locks.acquire(`${key}-2`, { purpose: 'Report.run' });
    const multi = a.locks.multiLock([`${key}-1`, `${key}-2`, `${key}-3`]);
    await expect(multi.acquire({ waitMs: 600 })).rejects.toMatchObject({
      code: 'ZK_LOCK_TIMEOUT',
      message: expect.stringMatching(
        new RegExp(`was busy for \\d+ ms at its key "${key}-2", held by .*Report.run`),
      ),
    });
    await held.release();
    const permit = await other.locks.semaphore(`${key}-2`, 1).acquire();
    await expect(multi.acquire({ waitMs: 600 })).rejects.toMatchObject({
      code: 'ZK_LOCK_CONFIG',
      key: `${key}-2`,
      message: expect.stringContaining(`"${key}-2"`),
    });
    await permit.release();
  });
});
