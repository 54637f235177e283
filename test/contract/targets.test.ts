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
      await using _beside = await a.locks.acquire('r', { mode: 'read', handoff: false });
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

  it.each([0, 1.5, 65_537, '3', null])('should refuse %p stripes', async (given) => {
    const stripes = given as number;
    const problem = {
      code: 'ZK_LOCK_CONFIG',
      message: `Option "stripes" is ${given === '3' ? "'3'" : String(given)}; allowed are integers from 1 to 65536.`,
    };
    await expect(a.locks.acquire('k', { stripes })).rejects.toMatchObject(problem);
    await expect(a.locks.contenders('k', { stripes })).rejects.toMatchObject(problem);
    await expect(a.locks.requestRelease('k', { stripes })).rejects.toMatchObject(problem);
    expect(() => a.locks.striped('k', stripes)).toThrow(expect.objectContaining(problem));
  });

  it('should refuse to stripe a path', async () => {
    await expect(a.locks.acquire({ path: '/apps/one' }, { stripes: 2 })).rejects.toMatchObject({
      code: 'ZK_LOCK_CONFIG',
      message: /cannot be striped/,
    });
  });

  it('should stripe semaphores, too', async () => {
    const options = { permits: 2, stripes: 1 };
    const first = await a.locks.acquire('stall:1', options);
    const second = await a.locks.acquire('stall:2', options);
    expect([first.path, second.path]).toEqual(['/locks/stall~0of1', '/locks/stall~0of1']);
    expect(await a.locks.tryAcquire('stall:3', options)).toBeNull();
    expect(await a.locks.contenders('stall:3', { stripes: 1 })).toHaveLength(2);
    await first.release();
    await second.release();
  });

  it('should show and ask the holders of a stripe', async () => {
    const lock = await a.locks.acquire('stripe:1', { stripes: 4 });
    const request = new Promise((resolve) => lock.on('release-requested', resolve));
    expect(await a.locks.contenders('stripe:1')).toEqual([]); // another node
    expect(await a.locks.contenders('stripe:1', { stripes: 4 })).toMatchObject([{ state: 'holding' }]);
    expect(await a.locks.requestRelease('stripe:1', { stripes: 4, reason: 'deploy' })).toBe(1);
    expect(await request).toMatchObject({ reason: 'deploy' });
    await lock.release();
  });

  it('should give paths below the chroot, which name the same node again', async () => {
    const { locks } = chrooted;
    const kinds = {
      mutex: locks.mutex('round'),
      write: locks.readWriteLock('round-rw').write,
      semaphore: locks.semaphore('round-semaphore', 2),
    };
    for (const recipe of Object.values(kinds)) {
      const lock = await recipe.acquire();
      expect(lock.path).toMatch(/^\/locks\/round/);
      expect(recipe.path).toBe(lock.path);
      const found = await locks.contenders({ path: lock.path });
      expect(found).toMatchObject([{ state: 'holding', mine: true }]);
      expect(found[0]!.path.startsWith(`${lock.path}/`)).toBe(true);
      expect(await admin.get(`/apps/billing${found[0]!.path}`)).toBeDefined();
      expect(await locks.requestRelease({ path: lock.path })).toBe(1);
      await lock.release();
    }
    const election = locks.leaderElection('round-leader');
    election.start();
    const leadership = await election.waitForLeadership();
    expect([election.path, leadership.path]).toEqual(['/locks/round-leader', '/locks/round-leader']);
    expect(await election.participants()).toMatchObject([{ state: 'holding', mine: true }]);
    expect(await locks.contenders({ path: election.path })).toMatchObject([{ state: 'holding', mine: true }]);
    await election.close();
    expect(locks.sharedCount('round-count').path).toBe('/locks/round-count');
    await locks.multiLock(['round-x', { key: { path: '/round-y' }, mode: 'read' }]).withLock((lock) => {
      expect(lock.path).toBe('/locks/round-x, /round-y');
      expect([...lock.fencingTokens.keys()]).toEqual(['round-x', '/round-y']);
    });
  });

  const released = async (lock: { path: string; release(): Promise<void> }): Promise<string> => {
    await lock.release();
    return lock.path;
  };
});
