import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { LockOptions } from '../../lib/locking/lock.service.js';
import { EACH_ITS_NODE, LockClient } from '../support/lock-client.js';
import { waitFor } from '../support/wait-for.js';
import { ZkAdmin } from '../support/zk-admin.js';
import { ZkProxy } from '../support/zk-proxy.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

/** A waiter that learns, while it waits, that only the node that it watches is left before it. */
describe('Who turns out to be next in line', () => {
  let server: ZooKeeperServer;
  let proxy: ZkProxy;
  let admin: ZkAdmin;
  let ours: LockClient;
  let others: LockClient;
  let key: string;
  let count = 0;

  beforeAll(async () => {
    server = await ZooKeeperServer.start();
    proxy = await ZkProxy.start(server);
    admin = await ZkAdmin.connect(server.connectString);
    // A session timeout so long that no keep-alive falls between the requests.
    ours = await LockClient.open(proxy.connectString, { sessionTimeoutMs: 60_000, ...EACH_ITS_NODE });
    others = await LockClient.open(server.connectString, { sessionTimeoutMs: 60_000, ...EACH_ITS_NODE });
  });
  afterAll(async () => {
    await ours[Symbol.asyncDispose]();
    await others[Symbol.asyncDispose]();
    admin.close();
    await proxy[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    key = `next-${(count += 1)}`;
  });
  afterEach(async () => {
    await admin.waitForChildren(`/locks/${key}`, 0);
  });

  const ops = (): string[] => proxy.requests.map(({ op, watch }) => (watch ? `${op}+watch` : op));
  const answered = () => waitFor(() => proxy.requests.every(({ answer }) => answer));
  const pending = (work: Promise<unknown>): Promise<boolean> =>
    Promise.race([work.then(() => false), new Promise<true>((resolve) => setImmediate(resolve, true))]);
  /** Resolves when it waits as the last of so many. */
  async function join(client: LockClient, length: number, options: LockOptions = {}) {
    const lock = client.locks.acquire(key, options);
    lock.catch(() => undefined); // what becomes of it is asked later
    await admin.waitForChildren(`/locks/${key}`, length);
    if (client === ours) await untilWatched((await others.locks.contenders(key)).at(-2)!.path);
    return { lock };
  }
  /** Until the client knows that it watches the node. */
  async function untilWatched(path: string): Promise<void> {
    const isWatched = () =>
      proxy.requests.some((request) => request.path === path && request.watch && request.answer);
    await waitFor(isWatched, { what: `a watch on ${path}` });
    await ours.locks.contenders('nobody'); // answered after it
  }

  it('should be granted without a request when somebody of its session had the lock before the last one', async () => {
    const first = await ours.locks.acquire(key);
    const second = await join(others, 2);
    const third = await join(ours, 3);
    proxy.reset();
    await first.release();
    await (await second.lock).verify();
    await answered();
    expect(ops()).toEqual(['delete', 'getData+watch']); // its own node, to hear of its removal
    proxy.reset();
    await (await second.lock).release();
    expect(await (await third.lock).verify()).toBe(true);
    expect(ops()).toEqual(['sync', 'getData']); // those of verify()
    await (await third.lock).release();
  });

  it('should be told by the list of another caller of its session', async () => {
    const first = await others.locks.acquire(key);
    const second = await join(others, 2);
    const third = await join(ours, 3);
    await first.release();
    await second.lock;
    proxy.reset();
    const fourth = await join(ours, 3); // watches the third
    await waitFor(() => proxy.requests.filter(({ watch }) => watch).length === 2);
    await answered();
    const [, own] = await others.locks.contenders(key);
    expect(proxy.requests.filter(({ watch }) => watch).map(({ path }) => path)).toEqual([
      own!.path,
      own!.path,
    ]);
    proxy.reset();
    await (await second.lock).release();
    await third.lock;
    expect(ops()).toEqual([]);
    await (await third.lock).release();
    await (await fourth.lock).release();
  });

  it('should still wait for readers before the reader that gives the lock back', async () => {
    const reader = await others.locks.acquire(key, { mode: 'read' });
    const between = await ours.locks.acquire(key, { mode: 'read' });
    const writer = await join(ours, 3, { mode: 'write' });
    await between.release();
    await admin.waitForChildren(`/locks/${key}`, 2);
    await answered();
    expect(await pending(writer.lock)).toBe(true);
    expect(await reader.verify()).toBe(true);
    await reader.release();
    await (await writer.lock).release();
  });

  it('should not make a crowd of readers behind one writer ask one by one', async () => {
    const holder = await others.locks.acquire(key, { mode: 'write' });
    const writer = await join(ours, 2, { mode: 'write' });
    const readers = [];
    for (let at = 0; at < 5; at += 1) {
      readers.push(ours.locks.acquire(key, { mode: 'read' }));
      await admin.waitForChildren(`/locks/${key}`, at + 3);
    }
    await waitFor(() => proxy.requests.filter(({ op, answer }) => op === 'getData' && answer).length >= 7);
    await answered();
    await holder.release();
    const held = await writer.lock;
    await held.verify();
    proxy.reset();
    await held.release();
    const locks = await Promise.all(readers);
    expect(proxy.count('getData')).toBe(0);
    expect(proxy.count('getChildren2')).toBeLessThan(3);
    for (const lock of locks) await lock.release();
  });

  it('should not be granted when the one before it leaves without having had the lock', async () => {
    const first = await ours.locks.acquire(key);
    const leaving = new AbortController();
    const second = await join(others, 2, { signal: leaving.signal });
    const third = await join(ours, 3);
    proxy.reset();
    leaving.abort();
    await expect(second.lock).rejects.toMatchObject({ code: 'ZK_LOCK_ABORTED' });
    await waitFor(() => proxy.count('getData') === 2); // it watches the first one now, and itself
    await answered();
    expect(await pending(third.lock)).toBe(true);
    await first.release();
    await (await third.lock).release();
  });

  it('should not be granted when those before it leave one after the other, and the holder does not', async () => {
    const holder = await others.locks.acquire(key);
    const [leaving, following] = [new AbortController(), new AbortController()];
    const second = await join(ours, 2, { signal: leaving.signal });
    const third = await join(others, 3, { signal: following.signal });
    const fourth = await join(ours, 4);
    leaving.abort();
    await expect(second.lock).rejects.toMatchObject({ code: 'ZK_LOCK_ABORTED' });
    await admin.waitForChildren(`/locks/${key}`, 3);
    following.abort();
    await expect(third.lock).rejects.toMatchObject({ code: 'ZK_LOCK_ABORTED' });
    await admin.waitForChildren(`/locks/${key}`, 2);
    await answered();
    expect(await pending(fourth.lock)).toBe(true);
    expect(await holder.verify()).toBe(true);
    await holder.release();
    await (await fourth.lock).release();
  });

  it('should queue again when its node was removed after it was told', async () => {
    const first = await ours.locks.acquire(key);
    const second = await join(others, 2);
    const third = await join(ours, 3);
    const fourth = await join(others, 4);
    await first.release();
    await answered();
    const [, own] = await others.locks.contenders(key);
    await admin.delete(own!.path);
    await (await second.lock).release();
    const next = await fourth.lock;
    await admin.waitForChildren(`/locks/${key}`, 2);
    expect(await pending(third.lock)).toBe(true);
    await next.release();
    expect(await (await third.lock).verify()).toBe(true);
    await (await third.lock).release();
  });

  it('should look again when the connection broke after it was told', async () => {
    const first = await ours.locks.acquire(key);
    const second = await join(others, 2);
    const third = await join(ours, 3);
    await first.release();
    await answered();
    const { sessionId } = ours.connection.info();
    proxy.reset();
    const restored = new Promise((resolve) =>
      ours.connection.on('state', ({ event }) => event === 'restored' && resolve(event)),
    );
    proxy.cutAll();
    await (await second.lock).release();
    await restored;
    const lock = await third.lock;
    expect(ours.connection.info().sessionId).toBe(sessionId);
    expect(proxy.count('getChildren2')).toBeGreaterThan(0);
    expect(await lock.verify()).toBe(true);
    await lock.release();
  });
});
