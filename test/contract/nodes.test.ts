import { dirname } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { LockClient } from '../support/lock-client.js';
import { waitFor } from '../support/wait-for.js';
import { ZkAdmin } from '../support/zk-admin.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

/** What stands in ZooKeeper: our nodes among those of others, and their parents. */
describe('Lock nodes', () => {
  let server: ZooKeeperServer;
  let admin: ZkAdmin;
  let a: LockClient;
  let b: LockClient;
  let key: string;
  let path: string;
  let count = 0;

  const forge = async (name: string): Promise<string> => {
    await admin.ensure(dirname(`${path}/${name}`));
    return admin.create(`${path}/${name}`);
  };
  const ours = async (): Promise<string[]> =>
    (await admin.children(path)).filter((name) => /^_c_[-0-9a-f]{36}-lock-\d{10}$/.test(name)).sort();

  beforeAll(async () => {
    server = await ZooKeeperServer.start({ containerCheckMs: 200 });
    admin = await ZkAdmin.connect(server.connectString);
    a = await LockClient.open(server.connectString);
    b = await LockClient.open(server.connectString);
  });
  afterAll(async () => {
    await a[Symbol.asyncDispose]();
    await b[Symbol.asyncDispose]();
    admin.close();
    await server[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    key = `nodes-${(count += 1)}`;
    path = `/locks/${key}`;
    await admin.ensure(path); // persistent, so that it is not reaped under the tests
  });
  afterEach(async () => {
    await admin.deleteTree(path);
    await waitFor(() => a.locks.stats().held === 0);
    expect(a.locks.stats().waiting).toBe(0);
    await waitFor(() => b.locks.stats().held === 0);
    expect(b.locks.stats().waiting).toBe(0);
  });

  it("should use the layout of Curator's InterProcessMutex, owned by the session", async () => {
    const lock = await a.locks.acquire(key);
    const [name] = await ours();
    const { stat, data } = await admin.get(`${path}/${name!}`);
    expect(`0x${stat.ephemeralOwner}`).toBe(a.connection.info().sessionId);
    expect(JSON.parse(data)).toMatchObject({ v: 1, pid: process.pid });
    await lock.release();
    expect(await ours()).toEqual([]);
  });

  it('should queue behind the contender of another library, whatever its prefix (B13, B17)', async () => {
    const other = await forge('zzz-lock-0000000000');
    await forge('aaaa-unrelated'); // moves the counter on
    const waiting = a.locks.acquire(key);
    await waitFor(async () => (await ours()).length === 1);
    expect((await a.locks.contenders(key)).map(({ mine }) => mine)).toEqual([false, true]);
    await expect(b.locks.acquire(key, { waitMs: 0 })).rejects.toMatchObject({ position: 3, queueLength: 3 });
    await admin.delete(other);
    await (await waiting).release();
  });

  it('should show what contenders of other libraries wrote into their nodes, up to 1 KiB', async () => {
    const long = `${'x'.repeat(1_023)}é`;
    await admin.create(`${path}/_c_x-latch-0000000001`, 'worker-7'); // the id of a LeaderLatch
    await admin.create(`${path}/_c_x-latch-0000000002`, long);
    await admin.create(`${path}/_c_x-latch-0000000003`, '');
    const found = await a.locks.contenders(key);
    expect(found.map(({ data }) => data)).toEqual(['worker-7', long.slice(0, 1_023), undefined]);
    expect(found[2]).not.toHaveProperty('data');
    await admin.deleteTree(path);
    const lock = await a.locks.acquire(key);
    expect((await a.locks.contenders(key))[0]).not.toHaveProperty('data'); // ours has a record
    await lock.release();
  });

  it('should not be disturbed by children that are no contenders (B17)', async () => {
    for (const name of ['x', 'lock-', 'lock-abc', 'lock-12', '_c_lock']) await forge(name);
    const lock = await a.locks.acquire(key, { waitMs: 0 });
    const waiting = b.locks.acquire(key);
    await waitFor(async () => (await ours()).length === 2);
    await lock.release();
    const next = await waiting;
    expect(next.fencingToken).toBeGreaterThan(lock.fencingToken);
    await next.release();
    expect(await a.locks.contenders(key)).toEqual([]);
  });

  it.each([
    'q-__READ__0000000000',
    'q-__WRIT__0000000000',
    'q__rlock__0000000000',
    'latch-0000000000',
    'leases/_c_x-lease-0000000000',
    'locks/_c_x-lock-0000000000',
  ])('should refuse a key that is another kind of lock to somebody: %s (B18)', async (name) => {
    await forge(name);
    await expect(a.locks.acquire(key)).rejects.toMatchObject({
      code: 'ZK_LOCK_CONFIG',
      message: /another kind/,
    });
    await waitFor(async () => (await ours()).length === 0);
  });

  it.each(['n-lock-2147483647', 'n-lock--2147483648', 'n-lock--000000001', `n-lock-${2 ** 31 - 2 ** 20}`])(
    'should grant nothing while %s shows the counter at its end (B14)',
    async (name) => {
      await forge(name);
      const tries = await Promise.allSettled([
        a.locks.acquire(key),
        b.locks.acquire(key),
        a.locks.acquire(key),
      ]);
      for (const outcome of tries) {
        expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'ZK_LOCK_SEQUENCE' } });
      }
      await waitFor(async () => (await ours()).length === 0);
    },
  );

  it('should grant nothing while two contenders have the same number (B14)', async () => {
    await forge('a-lock-0000000007');
    await forge('b-lock-0000000007');
    await expect(a.locks.acquire(key)).rejects.toMatchObject({ code: 'ZK_LOCK_SEQUENCE' });
  });

  it('should start the counter again once the queue has drained, and go on with higher tokens (B14)', async () => {
    const before = await a.locks.acquire(key);
    await before.release();
    const last = await admin.create(`${path}/n-lock-2147483647`, '', 'ephemeral');
    await expect(a.locks.acquire(key)).rejects.toMatchObject({ code: 'ZK_LOCK_SEQUENCE' });
    await waitFor(async () => (await ours()).length === 0);
    const { stat } = await admin.get(path);
    await admin.delete(last);
    // The first one to come may still see the old counter's node; a forged name has not moved the real counter.
    const after = await b.locks.acquire(key);
    expect(after.fencingToken).toBeGreaterThan(before.fencingToken);
    await after.release();
    expect(stat.ephemeralOwner).toBe('0');
  });

  it('should queue again when the node of a waiter is removed by somebody (B15)', async () => {
    const lock = await a.locks.acquire(key);
    const waiting = b.locks.acquire(key);
    const [, second] = await waitFor(async () =>
      (await ours()).length === 2 ? sorted(await ours()) : undefined,
    );
    await admin.delete(`${path}/${second!}`);
    await waitFor(async () => (await ours()).length === 2 && !(await ours()).includes(second!));
    expect(lock.isHeld()).toBe(true);
    await lock.release();
    const next = await waiting;
    expect(await next.verify()).toBe(true);
    await next.release();
  });

  it('should tell the holder that its node is gone, and never take absence for a grant (B15)', async () => {
    const lock = await a.locks.acquire(key);
    await admin.delete(`${path}/${(await ours())[0]!}`);
    expect(await lock.verify()).toBe(false);
    expect(lock.isHeld()).toBe(false);
    expect(lock.state).toBe('lost');
    expect(lock.signal.reason).toMatchObject({ code: 'ZK_LOCK_LOST', reason: 'node-removed' });
    await lock.release();
  });

  it('should set its watch again when the node before it is changed (B43)', async () => {
    const lock = await a.locks.acquire(key);
    const waiting = b.locks.acquire(key);
    await waitFor(async () => (await ours()).length === 2);
    const holder = `${path}/${sorted(await ours())[0]!}`;
    for (const data of ['once', 'twice', 'three times']) {
      await admin.set(holder, data);
      await waitFor(async () => Number((await server.mntr()).zk_watch_count) >= 2, {
        what: 'the watches set again',
      });
    }
    await lock.release();
    await (await waiting).release();
  });

  it('should make its parents as containers, and again when the server reaps them (B07)', async () => {
    await admin.deleteTree(path);
    for (let round = 0; round < 3; round += 1) {
      await a.locks.withLock(`${key}-deep`, () => undefined);
      await waitFor(async () => !(await admin.exists(`${path}-deep`)), { what: 'the container reaped' });
    }
    await waitFor(() => a.locks.stats().held === 0);
    expect(a.locks.stats().waiting).toBe(0);
    await Promise.all(
      Array.from({ length: 50 }, (_, at) => (at % 2 ? a : b).locks.withLock(`${key}-deep`, () => undefined)),
    );
    await admin.ensure(path);
  });

  it('should keep fencing tokens rising although the sequence starts at 0 again (B07)', async () => {
    const fresh = `${key}-reaped`;
    const tokens: bigint[] = [];
    for (let round = 0; round < 2; round += 1) {
      await a.locks.withLock(fresh, async ({ fencingToken }) => {
        tokens.push(fencingToken);
        expect((await a.locks.contenders(fresh))[0]).toMatchObject({ sequence: 0 });
      });
      await waitFor(async () => !(await admin.exists(`/locks/${fresh}`)), { what: 'the container reaped' });
    }
    expect(tokens[1]).toBeGreaterThan(tokens[0]!);
  });
});

function sorted(names: string[]): string[] {
  return [...names].sort((x, y) => Number(x.slice(-10)) - Number(y.slice(-10)));
}
