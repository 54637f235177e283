import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { HeldLock } from '../../lib/recipes/held-lock.js';
import { expireSession } from '../support/expire-session.js';
import { LockClient } from '../support/lock-client.js';
import { waitFor } from '../support/wait-for.js';
import { ZkAdmin } from '../support/zk-admin.js';
import { ZkProxy } from '../support/zk-proxy.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

describe('Semaphore', () => {
  let server: ZooKeeperServer;
  let proxy: ZkProxy;
  let admin: ZkAdmin;
  let a: LockClient;
  let b: LockClient;
  let key: string;
  let count = 0;

  const leases = (): Promise<string[]> => admin.children(`/locks/${key}/leases`);
  const door = (): Promise<string[]> => admin.children(`/locks/${key}/locks`);
  const nothingLeft = (): Promise<unknown> =>
    waitFor(async () => (await leases()).length + (await door()).length === 0, { what: 'no node left' });
  const pending = async (work: Promise<unknown>): Promise<boolean> =>
    (await Promise.race([work, new Promise((resolve) => setImmediate(() => resolve('pending')))])) ===
    'pending';

  beforeAll(async () => {
    server = await ZooKeeperServer.start();
    proxy = await ZkProxy.start(server);
    admin = await ZkAdmin.connect(server.connectString);
    a = await LockClient.open(server.connectString);
    b = await LockClient.open(proxy.connectString);
  });
  afterAll(async () => {
    await a[Symbol.asyncDispose]();
    await b[Symbol.asyncDispose]();
    admin.close();
    await proxy[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    key = `semaphore-${(count += 1)}`;
  });
  afterEach(async () => {
    await nothingLeft();
    await waitFor(() => a.locks.stats().held + b.locks.stats().held === 0);
    await waitFor(() => a.locks.stats().held === 0);
    expect(a.locks.stats().waiting).toBe(0);
    await waitFor(() => b.locks.stats().held === 0);
    expect(b.locks.stats().waiting).toBe(0);
  });

  it("should use the layout of Curator's InterProcessSemaphoreV2", async () => {
    const permit = await a.locks.semaphore(key, 2).acquire();
    expect(permit).toMatchObject({ key, mode: 'permit', state: 'held' });
    expect(await leases()).toEqual([expect.stringMatching(/^_c_[-0-9a-f]{36}-lease-0000000000$/)]);
    expect((await admin.children(`/locks/${key}`)).sort()).toEqual(['leases', 'locks']);
    await waitFor(async () => (await door()).length === 0);
    await permit.release();
  });

  it('should let in as many as there are permits, and the others in order', async () => {
    const first = await a.locks.semaphore(key, 2).acquire();
    const second = await b.locks.semaphore(key, 2).acquire();
    expect(await a.locks.semaphore(key, 2).tryAcquire()).toBeNull();
    const order: number[] = [];
    const waiting: Promise<HeldLock>[] = [];
    for (const [at, client] of [a, b, a].entries()) {
      const acquiring = client.locks.semaphore(key, 2).acquire();
      waiting.push(acquiring);
      void acquiring.then(() => order.push(at));
      await waitFor(async () => (await a.locks.contenders(key)).length === 3 + at);
    }
    expect((await a.locks.contenders(key)).map(({ state, mode }) => `${mode} ${state}`)).toEqual([
      'permit holding',
      'permit holding',
      'permit waiting',
      'permit waiting',
      'permit waiting',
    ]);
    await first.release();
    const third = await waiting[0]!;
    await second.release();
    const fourth = await waiting[1]!;
    // Those who queued before their leases were made are seen as holders, too.
    await waitFor(async () => (await a.locks.contenders(key)).length === 3);
    expect((await a.locks.contenders(key)).map(({ state }) => state)).toEqual([
      'holding',
      'holding',
      'waiting',
    ]);
    await third.release();
    await (await waiting[2]!).release();
    await fourth.release();
    expect(order).toEqual([0, 1, 2]);
  });

  it('should never have more holders than permits', async () => {
    let inside = 0;
    let most = 0;
    const section = (client: LockClient) =>
      client.locks.semaphore(key, 3).withLock(async () => {
        most = Math.max(most, (inside += 1));
        await waitFor(() => most === 3);
        inside -= 1;
      });
    await Promise.all(Array.from({ length: 30 }, (_, at) => section(at % 2 ? a : b)));
    expect(most).toBe(3);
  });

  it('should take several permits all or nothing, so that two cannot block each other (B24)', async () => {
    const two = { permits: 2 };
    const [first, second] = [a.locks.semaphore(key, 2).acquire(two), b.locks.semaphore(key, 2).acquire(two)];
    const winner = await Promise.race([first, second]);
    expect(await leases()).not.toHaveLength(0);
    await winner.release();
    const both = await Promise.all([first, second]);
    expect(new Set(both.map(({ fencingToken }) => fencingToken)).size).toBe(2);
    for (const permits of both) await permits.release();
  });

  it('should leave nothing when it cannot have all of its permits in time (B23, B25)', async () => {
    const one = await a.locks.semaphore(key, 3).acquire();
    const all = b.locks.semaphore(key, 3).acquire({ permits: 3, waitMs: 1_500 });
    await expect(all).rejects.toMatchObject({ code: 'ZK_LOCK_TIMEOUT', key });
    await waitFor(async () => (await leases()).length === 1 && (await door()).length === 0);
    const rest = await b.locks.semaphore(key, 3).acquire({ permits: 2, waitMs: 0 });
    expect(await b.locks.semaphore(key, 3).tryAcquire()).toBeNull();
    await waitFor(async () => (await door()).length === 0); // the door is given back by a failed attempt, too
    await rest.release();
    await one.release();
  });

  it.each(['locks', 'leases'])(
    'should leave nothing when the answer to a create under %s is lost (B23)',
    async (folder) => {
      await b.locks.semaphore(key, 1).withLock(() => undefined);
      const fault = proxy.on({ op: 'create', path: new RegExp(`${key}/${folder}/`) }, 'drop-answer-and-cut');
      await b.locks.semaphore(key, 1).withLock(async () => expect(await leases()).toHaveLength(1));
      expect(fault.hits).toBe(1);
      await nothingLeft();
    },
  );

  it.each(['locks', 'leases'])(
    'should leave nothing when it is cancelled while it waits under %s (B23, B25)',
    async (folder) => {
      const holder = await a.locks.semaphore(key, 1).acquire();
      const first = a.locks.semaphore(key, 1).acquire();
      await waitFor(async () => (await leases()).length === 2);
      const controller = new AbortController();
      const cancelled = b.locks.semaphore(key, 1).acquire({ signal: controller.signal });
      await waitFor(async () => (await door()).length === 2);
      if (folder === 'leases') {
        await holder.release();
        await (await first).release();
        const held = await cancelled;
        await held.release();
        return;
      }
      controller.abort();
      await expect(cancelled).rejects.toMatchObject({ code: 'ZK_LOCK_ABORTED' });
      await waitFor(async () => (await door()).length === 1);
      await holder.release();
      await (await first).release();
    },
  );

  it('should lose its permit with its session, and free it for others', async () => {
    const permit = await b.locks.semaphore(key, 1).acquire();
    const waiting = a.locks.semaphore(key, 1).acquire();
    await waitFor(async () => (await door()).length === 1);
    const lost = new Promise((resolve) => permit.signal.addEventListener('abort', resolve));
    await expireSession(server, proxy.sessions[0]!);
    await lost;
    expect(permit.isHeld()).toBe(false);
    await permit.release();
    await (await waiting).release();
  });

  it('should grow and shrink with a shared count while it is in use', async () => {
    const size = a.locks.sharedCount(`${key}-size`);
    expect(await size.get()).toBeUndefined();
    await size.set(1);
    const first = await a.locks.semaphore(key, size).acquire();
    const second = b.locks.semaphore(key, b.locks.sharedCount(`${key}-size`)).acquire();
    await waitFor(async () => (await leases()).length === 2);
    expect(await pending(second)).toBe(true);
    await size.set(2); // the waiter is woken
    const held = await second;
    await size.set(1);
    expect(await size.get()).toBe(1);
    await held.release();
    expect(await b.locks.semaphore(key, b.locks.sharedCount(`${key}-size`)).tryAcquire()).toBeNull();
    await first.release();
    await (await a.locks.semaphore(key, size).acquire({ waitMs: 0 })).release();
    await expect(size.set(-1)).rejects.toMatchObject({ code: 'ZK_LOCK_CONFIG' });
    expect((await admin.get(size.path)).data).toBe('\u0000\u0000\u0000\u0001'); // as Curator's SharedCount writes it
  });

  it.each([
    [0, 1],
    [1.5, 1],
    [2, 3],
    [2, 0],
  ])('should refuse %p permits of which %p are wanted', async (permits, wanted) => {
    const acquire = async () => a.locks.semaphore(key, permits).acquire({ permits: wanted });
    await expect(acquire()).rejects.toMatchObject({ code: 'ZK_LOCK_CONFIG' });
  });

  it('should be a kind of lock of its own (B18)', async () => {
    const permit = await a.locks.acquire(key, { permits: 2 });
    await expect(a.locks.acquire(key)).rejects.toMatchObject({ code: 'ZK_LOCK_CONFIG' });
    await expect(b.locks.acquire(key)).rejects.toMatchObject({
      code: 'ZK_LOCK_CONFIG',
      message: /another kind/,
    });
    // @ts-expect-error two kinds of lock
    await expect(a.locks.acquire(key, { permits: 1, mode: 'read' })).rejects.toThrow(/exclude each other/);
    await expect(a.locks.withLock([key, 'x'], () => undefined, { permits: 2 })).rejects.toThrow(/one key/);
    await permit.release();
    await waitFor(async () => (await admin.children(`/locks/${key}`)).every((name) => name !== 'lock-'));
  });

  it('should leave its key to a mutex once nobody uses it any more', async () => {
    await (await a.locks.acquire(key, { permits: 1 })).release();
    await nothingLeft();
    expect((await admin.children(`/locks/${key}`)).sort()).toEqual(['leases', 'locks']); // they stay for a while
    const mutex = await b.locks.acquire(key, { waitMs: 0 });
    expect(await a.locks.contenders(key)).toMatchObject([
      { state: 'holding', mode: 'exclusive', position: 1 },
    ]);
    await mutex.release();
    const permit = await a.locks.acquire(key, { permits: 1 });
    await expect(b.locks.acquire(key)).rejects.toThrow(
      /another kind of lock as well \(its child is "(leases|locks)\//,
    );
    await permit.release();
  });

  it.each([
    [undefined, 1, 'was never set, and 1 permit is wanted'],
    [0, 1, 'is 0, and 1 permit is wanted'],
    [1, 2, 'is 1, and 2 permits are wanted'],
  ])('should say that the shared count is %p when %p permits are wanted', async (size, permits, text) => {
    const shared = a.locks.sharedCount(`${key}-size`);
    if (size !== undefined) await shared.set(size);
    const semaphore = a.locks.semaphore(key, shared);
    const busy = semaphore.acquire({ permits, waitMs: 800 });
    await waitFor(async () => (await leases()).length === permits);
    await expect(semaphore.acquire({ permits, waitMs: 200 })).rejects.toThrow(text); // it waits at the door
    await expect(busy).rejects.toThrow(`since the shared count "${key}-size" ${text}; place ${permits} of`);
    await expect(busy).rejects.toMatchObject({ code: 'ZK_LOCK_TIMEOUT', position: permits });
  });

  it('should be named by its own path, whatever the number of its permits', async () => {
    const permits = await a.locks.semaphore(key, 2).acquire({ permits: 2 });
    expect(permits.path).toBe(`/locks/${key}`);
    expect(await b.locks.contenders({ path: permits.path })).toMatchObject([
      { state: 'holding' },
      { state: 'holding' },
    ]);
    await permits.release();
  });

  it('should explain a wait for its own permits without the advice for mutexes', async () => {
    const semaphore = a.locks.semaphore(key, 1);
    await semaphore.withLock(async () => {
      const again = semaphore.acquire({ waitMs: 500 });
      await expect(again).rejects.toThrow(/very process; a semaphore is not reentrant/);
      expect(await again.catch(String)).not.toContain('withLock');
    });
  });

  it.each([undefined, null, '3', {}, 0, 1.5, 2 ** 31])('should refuse a size of %p', async (size) => {
    const text =
      /are (undefined|null|'3'|\{\}|0|1\.5|2147483648); allowed are integers from 1 to 2147483647, or/;
    expect(() => a.locks.semaphore(key, size as never)).toThrow(text);
    if (size !== undefined) {
      await expect(a.locks.acquire(key, { permits: size as never })).rejects.toThrow(/Option "permits" is/);
      await expect(a.locks.semaphore(key, 3).acquire({ permits: size as never })).rejects.toThrow(
        /Option "permits" is .*; allowed are integers from 1 to 1000\.$/,
      );
    }
  });

  it('should refuse a shared count of another connection, and a count that is none', async () => {
    expect(() => a.locks.semaphore(key, b.locks.sharedCount('size'))).toThrow(/another connection/);
    await expect(a.locks.sharedCount('size').set('3' as never)).rejects.toThrow(
      /The shared count "size" cannot be '3'; allowed are integers from 0 to 2147483647\./,
    );
  });

  it('should run a section under several permits, and refuse one that is no function at once', async () => {
    await a.locks
      .semaphore(key, 2)
      .withLock(async () => expect(await leases()).toHaveLength(2), { permits: 2 });
    await nothingLeft();
    await expect(a.locks.semaphore(key, 2).withLock({} as never)).rejects.toMatchObject({
      code: 'ZK_LOCK_CONFIG',
    });
    expect(await leases()).toEqual([]);
  });

  it('should take a permit of its own for every entry', async () => {
    const semaphore = a.locks.semaphore(key, 2);
    await semaphore.withLock(async (outer) => {
      await semaphore.withLock(async (inner) => {
        expect(inner.fencingToken).not.toBe(outer.fencingToken);
        expect(await leases()).toHaveLength(2);
        await expect(semaphore.withLock(() => undefined, { waitMs: 0 })).rejects.toMatchObject({
          code: 'ZK_LOCK_TIMEOUT',
        });
      });
    });
  });
});
