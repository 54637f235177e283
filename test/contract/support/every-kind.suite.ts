import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { LockRecipe } from '../../../lib/recipes/lock-recipe.js';
import type { AcquireOptions } from '../../../lib/recipes/acquire-options.js';
import type { HeldLock } from '../../../lib/recipes/held-lock.js';
import { LockClient } from '../../support/lock-client.js';
import { waitFor } from '../../support/wait-for.js';
import { ZkAdmin } from '../../support/zk-admin.js';
import { ZkProxy } from '../../support/zk-proxy.js';
import { ZooKeeperServer } from '../../support/zookeeper-server.js';

/** One kind of lock, and what it excludes. */
export interface Kind {
  readonly lock: (client: LockClient, key: string) => LockRecipe;
  readonly rival: (client: LockClient, key: string) => LockRecipe;
  /** What the kind wants of every acquire. */
  readonly options?: AcquireOptions & { permits?: number };
}

/** A kind that excludes itself. */
export const same = (lock: Kind['lock'], options?: Kind['options']): Kind => ({ lock, rival: lock, options });

/** What every kind of lock promises. The root of a test's locks is `/` and its key. */
export function describeKinds(kinds: Record<string, Kind>): void {
  let server: ZooKeeperServer;
  let proxy: ZkProxy;
  let admin: ZkAdmin;
  let count = 0;

  beforeAll(async () => {
    server = await ZooKeeperServer.start();
    proxy = await ZkProxy.start(server);
    admin = await ZkAdmin.connect(server.connectString);
  });
  afterAll(async () => {
    admin.close();
    await proxy[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  describe.each(Object.entries(kinds))('Every kind of lock: %s', (_name, { lock, rival, options }) => {
    let a: LockClient;
    let b: LockClient;
    let key: string;

    /** Nodes of contenders, wherever below the locks of this test. */
    async function contenders(path = `/${key}`): Promise<string[]> {
      const found: string[] = [];
      for (const name of await admin.children(path)) {
        const below = `${path}/${name}`;
        if (/-?\d{10}$/.test(name)) found.push(below);
        else found.push(...(await contenders(below)));
      }
      return found;
    }
    /** Those of one session. */
    async function contendersOf(client: LockClient): Promise<string[]> {
      const { sessionId } = client.connection.info();
      const own: string[] = [];
      for (const path of await contenders()) {
        if (`0x${(await admin.get(path)).stat.ephemeralOwner}` === sessionId) own.push(path);
      }
      return own;
    }
    /** How many nodes a lock has, once all is done that its session sent before, as for the door of a semaphore. */
    async function nodesOf(held: HeldLock): Promise<number> {
      expect(await held.verify()).toBe(true);
      return (await contenders()).length;
    }
    const acquire = (client: LockClient, more: AcquireOptions = {}): Promise<HeldLock> =>
      lock(client, key).acquire({ ...options, ...more });
    const oppose = (client: LockClient, more: AcquireOptions = {}): Promise<HeldLock> =>
      rival(client, key).acquire({ ...options, ...more });
    const untilWaiting = (client: LockClient, waiting: number): Promise<unknown> =>
      waitFor(() => client.locks.stats().waiting === waiting);

    beforeEach(async () => {
      key = `kind-${(count += 1)}`;
      const root = `/${key}`;
      a = await LockClient.open(proxy.connectString, { root });
      b = await LockClient.open(server.connectString, { root });
    });
    afterEach(async () => {
      await waitFor(async () => (await contenders()).length === 0, { what: 'no node left' });
      await waitFor(() => a.locks.stats().held + b.locks.stats().held === 0);
      expect([a.locks.stats().waiting, b.locks.stats().waiting]).toEqual([0, 0]);
      await a[Symbol.asyncDispose]();
      await b[Symbol.asyncDispose]();
    });

    it('should exclude its rivals, and let them in afterwards', async () => {
      const held = await acquire(a);
      expect(held.isHeld()).toBe(true);
      expect(await held.verify()).toBe(true);
      expect(await rival(b, key).tryAcquire(options)).toBeNull();
      await held.release();
      await waitFor(async () => (await contenders()).length === 0);
      const next = await oppose(b, { waitMs: 0 });
      expect(await next.verify()).toBe(true);
      await next.release();
    });

    it('should pass on in the order in which they came', async () => {
      const held = await acquire(a);
      const nodes = await nodesOf(held);
      const order: string[] = [];
      const pass = async (name: string, work: Promise<HeldLock>): Promise<void> => {
        const lock = await work;
        order.push(name);
        await lock.release();
      };
      const first = pass('first', oppose(b));
      await waitFor(async () => (await contendersOf(b)).length > 0);
      const second = pass('second', oppose(a));
      await waitFor(async () => (await contendersOf(a)).length > nodes);
      await held.release();
      await Promise.all([first, second]);
      expect(order).toEqual(['first', 'second']);
    });

    it('should give up at its deadline, and when it is cancelled, and leave no node', async () => {
      const held = await acquire(a);
      const nodes = await nodesOf(held);
      await expect(oppose(b, { waitMs: 1_000 })).rejects.toMatchObject({ code: 'ZK_LOCK_TIMEOUT' });
      await waitFor(async () => (await contenders()).length === nodes);
      const controller = new AbortController();
      const waiting = oppose(b, { signal: controller.signal });
      await waitFor(async () => (await contenders()).length > nodes);
      controller.abort();
      await expect(waiting).rejects.toMatchObject({ code: 'ZK_LOCK_ABORTED' });
      await waitFor(async () => (await contenders()).length === nodes);
      expect(held.isHeld()).toBe(true);
      await held.release();
    });

    it('should be lost with its session, tell so, and be free for others', async () => {
      const held = await acquire(a);
      const waiting = oppose(b);
      await untilWaiting(b, 1);
      const lost = new Promise((resolve) => held.signal.addEventListener('abort', resolve));
      await proxy.expireSessions();
      await lost;
      expect(held.state).toBe('lost');
      expect(held.isHeld()).toBe(false);
      expect(() => held.assertHeld()).toThrow(expect.objectContaining({ code: 'ZK_LOCK_LOST' }));
      const next = await waiting;
      expect(await next.verify()).toBe(true);
      await held.release();
      expect(await next.verify()).toBe(true);
      await next.release();
    });

    it('should queue again when the session of a waiter expires', async () => {
      const held = await oppose(b);
      const waiting = acquire(a);
      await untilWaiting(a, 1);
      const session = a.connection.info().sessionId;
      await proxy.expireSessions();
      await waitFor(() => a.connection.info().sessionId !== session && a.connection.state === 'connected');
      await held.release();
      const next = await waiting;
      expect(await next.verify()).toBe(true);
      await next.release();
    });

    it('should come through lost answers', async () => {
      for (const op of ['create', 'getChildren2', 'delete'] as const) {
        const fault = proxy.on({ op }, 'drop-answer-and-cut');
        await lock(a, key).withLock((held) => expect(held.isHeld()).toBe(true), options);
        await fault.hit();
        await waitFor(async () => (await contenders()).length === 0);
      }
    });

    it('should run a section under it, with the lock at hand, and give it back whatever happens', async () => {
      await expect(lock(a, key).withLock(() => Promise.reject(new Error('own')), options)).rejects.toThrow(
        'own',
      );
      expect(await lock(b, key).withLock(({ key: own }) => own, options)).toContain('kind-');
    });

    it('should be given back at shutdown, and no wait outlives the grace', async () => {
      const held = await acquire(a);
      const waiting = oppose(a, { waitMs: 30_000 }).catch((error: unknown) => error);
      await untilWaiting(a, 1);
      await a.manager.beginShutdown(100);
      expect(await waiting).toMatchObject({ code: 'ZK_LOCK_SHUTDOWN' });
      await expect(acquire(a)).rejects.toMatchObject({ code: 'ZK_LOCK_SHUTDOWN' });
      expect(held.isHeld()).toBe(true);
      await a.manager.finishShutdown();
      expect(held.isHeld()).toBe(false);
      expect(await contenders()).toEqual([]);
      await (await oppose(b, { waitMs: 0 })).release();
    });
  });
}
