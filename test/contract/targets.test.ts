import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { lockKey } from '../../lib/locking/lock-key.js';
import { LockClient } from '../support/lock-client.js';
import { ZkAdmin } from '../support/zk-admin.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

/** Locks that are named by something else than a key of their own. */
describe('Paths and stripes', () => {
  let server: ZooKeeperServer;
  let admin: ZkAdmin;
  let a: LockClient;
  let chrooted: LockClient;

  beforeAll(async () => {
    server = await ZooKeeperServer.start();
    admin = await ZkAdmin.connect(server.connectString);
    a = await LockClient.open(server.connectString);
    chrooted = await LockClient.open(server.connectString, { chroot: '/apps/billing' });
  });
  afterAll(async () => {
    await a[Symbol.asyncDispose]();
    await chrooted[Symbol.asyncDispose]();
    admin.close();
    await server[Symbol.asyncDispose]();
  });

  it('should use a path as it is, below the chroot and beside the root', async () => {
    const lock = await a.locks.acquire({ path: '/apps/billing/curator/invoice:7' });
    expect(lock.path).toBe('/apps/billing/curator/invoice:7');
    expect(await chrooted.locks.tryAcquire({ path: '/curator/invoice:7' })).toBeNull();
    expect(await chrooted.locks.contenders({ path: '/curator/invoice:7' })).toHaveLength(1);
    expect(await admin.children('/apps/billing/curator/invoice:7')).toHaveLength(1);
    await lock.release();
    await a.locks.withLock([{ path: '/apps/x' }, 'y'], ({ fencingTokens }) => {
      expect([...fencingTokens.keys()].sort()).toEqual(['/apps/x', 'y']);
    });
  });

  it('should take each key of a list in its own mode, by hand as well', async () => {
    const keys = [
      'm',
      { key: 'r', mode: 'read' as const },
      { key: { path: '/curator/w' }, mode: 'write' as const },
    ];
    await a.locks.withLock(keys, async ({ fencingTokens }) => {
      expect([...fencingTokens.keys()].sort()).toEqual(['/curator/w', 'm', 'r']);
      await using _beside = await a.locks.acquire('r', { mode: 'read' });
      const modes = async (key: string | { path: string }) =>
        (await a.locks.contenders(key)).map(({ mode }) => mode);
      expect(await modes('m')).toEqual(['exclusive']);
      expect(await modes('r')).toEqual(['read', 'read']);
      expect(await modes({ path: '/curator/w' })).toEqual(['write']);
    });
    const one = await a.locks.withLock([{ key: 'r', mode: 'read' }], ({ mode }) => mode, { mode: 'write' });
    expect(one).toBe('read'); // the entry's own mode
    const wrong = [{ path: '/curator/w', mode: 'read' }] as never[];
    await expect(a.locks.withLock(wrong, () => 1)).rejects.toMatchObject({ code: 'ZK_LOCK_CONFIG' });
  });

  it.each(['', 'relative', '/', '/a//b', '/a/../b', '/zookeeper/quota', '/a/'])(
    'should refuse the path %p',
    async (path) => {
      await expect(a.locks.acquire({ path })).rejects.toMatchObject({ code: 'ZK_LOCK_KEY' });
    },
  );

  it('should map unbounded keys to a bounded number of nodes, the same in every process', async () => {
    const nodes = new Set<string>();
    for (let id = 0; id < 200; id += 1) {
      await a.locks.withLock(`order-pay:${id}`, ({ path }) => void nodes.add(path), { stripes: 8 });
    }
    expect([...nodes].sort()).toEqual(Array.from({ length: 8 }, (_, at) => `/locks/order-pay~${at}of8`));
    // The hash is part of the contract: processes of different versions must agree.
    expect(await a.locks.striped('order-pay', 64).get(42).acquire().then(released)).toBe(
      '/locks/order-pay~35of64',
    );
    const options = { stripes: 64 };
    await a.locks.withLock(
      lockKey('order-pay:<id>', { id: 42 }),
      async ({ path }) => {
        expect(path).toBe('/locks/order-pay~35of64');
        // the same node, by another way
        expect(await chrooted.locks.contenders('x')).toEqual([]);
        await a.locks
          .striped('order-pay', 64)
          .get('42')
          .withLock((inner) => expect(inner.path).toBe(path));
      },
      options,
    );
  });

  it('should take two keys of one stripe once, and know the token of each (B26)', async () => {
    await a.locks.withLock(
      ['pay:1', 'pay:2', 'pay:3'],
      (lock) => {
        expect(lock.path).toBe('/locks/pay~0of1');
        expect([...lock.fencingTokens.keys()]).toEqual(['pay:1', 'pay:2', 'pay:3']);
        expect(new Set(lock.fencingTokens.values()).size).toBe(1);
      },
      { stripes: 1 },
    );
  });

  it.each([0, 1.5, 65_537])('should refuse %p stripes', async (stripes) => {
    await expect(a.locks.acquire('k', { stripes })).rejects.toMatchObject({ code: 'ZK_LOCK_KEY' });
  });

  const released = async (lock: { path: string; release(): Promise<void> }): Promise<string> => {
    await lock.release();
    return lock.path;
  };
});
