import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { HeldLock } from '../../lib/recipes/held-lock.js';
import { EACH_ITS_NODE, LockClient } from '../support/lock-client.js';
import { waitFor } from '../support/wait-for.js';
import { ZkAdmin } from '../support/zk-admin.js';
import { ZkProxy } from '../support/zk-proxy.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

/** What a node can serve at most. */
const GRANTS_PER_NODE = 4_095;

describe('Handoff among callers of one process', () => {
  let server: ZooKeeperServer;
  let proxy: ZkProxy;
  let admin: ZkAdmin;
  /** Behind a proxy that counts its requests; its keep-alive does not fall into a measurement. */
  let a: LockClient;
  let b: LockClient;
  let key: string;
  let count = 0;

  const nodes = async (): Promise<string[]> => admin.children(`/locks/${key}`);
  const untilWaiting = (client: LockClient, waiting: number): Promise<unknown> =>
    waitFor(() => client.locks.stats().waiting === waiting);
  const untilAnswered = (): Promise<unknown> => waitFor(() => proxy.requests.every(({ answer }) => answer));
  const ops = (): string[] => proxy.requests.map(({ op }) => op);

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
  beforeEach(async () => {
    key = `handoff-${(count += 1)}`;
    proxy.reset();
    a = await LockClient.open(proxy.connectString, { sessionTimeoutMs: 60_000 });
    b = await LockClient.open(server.connectString, EACH_ITS_NODE);
    await a.locks.withLock(key, () => undefined); // the parent is known
    await waitFor(async () => (await nodes()).length === 0);
    await untilAnswered();
    proxy.reset();
  });
  afterEach(async () => {
    await waitFor(() => a.locks.stats().held + b.locks.stats().held === 0);
    await waitFor(async () => (await nodes()).length === 0, { what: 'no node left' });
    expect([a.locks.stats().waiting, b.locks.stats().waiting]).toEqual([0, 0]);
    await a[Symbol.asyncDispose]();
    await b[Symbol.asyncDispose]();
  });

  it('should serve all who came with one node, in order, one at a time, each with a token of its own', async () => {
    const order: number[] = [];
    const tokens: bigint[] = [];
    let inside = 0;
    await Promise.all(
      Array.from({ length: 50 }, (_, at) =>
        a.locks.withLock(key, async ({ fencingToken }) => {
          expect((inside += 1)).toBe(1);
          order.push(at);
          tokens.push(fencingToken);
          await turn();
          inside -= 1;
        }),
      ),
    );
    await untilAnswered();
    expect(order).toEqual(Array.from({ length: 50 }, (_, at) => at));
    expect(tokens).toEqual([...tokens].sort((x, y) => (x < y ? -1 : 1)));
    expect(new Set(tokens).size).toBe(50);
    expect(ops()).toEqual(['create', 'getChildren2', 'getChildren2', 'delete']); // the second list looks for company
  });

  it('should cost no request when a caller of the process times out, or is cancelled, or is refused', async () => {
    const held = await a.locks.acquire(key);
    const controller = new AbortController();
    const waiting = a.locks.acquire(key); // looks for company, once
    await waitFor(() => proxy.requests.length === 3);
    await untilAnswered();
    const before = proxy.requests.length;
    const cancelled = a.locks.acquire(key, { signal: controller.signal });
    controller.abort();
    await expect(cancelled).rejects.toMatchObject({ code: 'ZK_LOCK_ABORTED' });
    await expect(a.locks.acquire(key, { waitMs: 50 })).rejects.toMatchObject({
      code: 'ZK_LOCK_TIMEOUT',
      position: 3,
    });
    expect(await a.locks.tryAcquire(key)).toBeNull();
    expect(ops().slice(before)).toEqual([]);
    await held.release();
    await (await waiting).release();
  });

  it('should keep the node for the others when the one who opened it leaves', async () => {
    const holder = await b.locks.acquire(key);
    const controller = new AbortController();
    const opener = a.locks.acquire(key, { signal: controller.signal });
    await waitFor(async () => (await nodes()).length === 2);
    const other = a.locks.acquire(key);
    const [, before] = (await nodes()).sort((x, y) => (x.slice(-10) < y.slice(-10) ? -1 : 1));
    controller.abort();
    await expect(opener).rejects.toMatchObject({ code: 'ZK_LOCK_ABORTED' });
    await holder.release();
    const lock = await other;
    expect(await nodes()).toEqual([before]);
    await lock.release();
  });

  it('should give the node up when its last caller leaves before the grant', async () => {
    const holder = await b.locks.acquire(key);
    const controller = new AbortController();
    const callers = [1, 2, 3].map(() => a.locks.acquire(key, { signal: controller.signal }));
    await waitFor(async () => (await nodes()).length === 2);
    controller.abort();
    for (const caller of callers) await expect(caller).rejects.toMatchObject({ code: 'ZK_LOCK_ABORTED' });
    await waitFor(async () => (await nodes()).length === 1);
    expect(holder.isHeld()).toBe(true);
    await holder.release();
  });

  it('should let nobody in before somebody outside who came first', async () => {
    const order: string[] = [];
    const note = (name: string) => async (lock: HeldLock) => {
      order.push(name);
      await lock.release();
    };
    const held = await a.locks.acquire(key);
    const outside = b.locks.acquire(key).then(note('outside'));
    await waitFor(async () => (await nodes()).length === 2);
    const late = a.locks.acquire(key).then(note('late'));
    await waitFor(async () => (await nodes()).length === 3); // it has opened the next node
    await held.release();
    await Promise.all([outside, late]);
    expect(order).toEqual(['outside', 'late']);
  });

  it('should serve those who were there before somebody outside, then let that one in', async () => {
    const order: string[] = [];
    const pass = async (client: LockClient, name: string): Promise<void> => {
      const lock = await client.locks.acquire(key);
      order.push(name);
      await lock.release();
    };
    const held = await a.locks.acquire(key);
    const early = [1, 2, 3].map((n) => pass(a, `early ${n}`));
    await waitFor(() => proxy.requests.length === 3); // it is known that nobody else waits
    await untilAnswered();
    const outside = pass(b, 'outside');
    await waitFor(async () => (await nodes()).length === 2);
    await waitFor(() => proxy.requests.length === 4); // and now, that somebody does
    await untilAnswered();
    const late = pass(a, 'late');
    await waitFor(async () => (await nodes()).length === 3);
    await held.release();
    await Promise.all([...early, outside, late]);
    expect(order).toEqual(['early 1', 'early 2', 'early 3', 'outside', 'late']);
  });

  it('should serve no more than handoff.max of one node once others wait', async () => {
    const order: string[] = [];
    const pass = async (client: LockClient, name: string): Promise<void> => {
      const lock = await client.locks.acquire(key, client === a ? { handoff: { max: 2 } } : {});
      order.push(name);
      await lock.release();
    };
    const held = await a.locks.acquire(key, { handoff: { max: 2 } });
    const early = [1, 2, 3, 4].map((n) => pass(a, `early ${n}`));
    await waitFor(() => proxy.requests.length === 3);
    await untilAnswered();
    const outside = pass(b, 'outside');
    await waitFor(async () => (await nodes()).length === 3); // theirs, and the next one of ours for 3 and 4
    await held.release();
    await Promise.all([...early, outside]);
    expect(order).toEqual(['early 1', 'early 2', 'outside', 'early 3', 'early 4']);
  });

  it('should keep the order of its callers when some are moved to another node', async () => {
    const order: number[] = [];
    const holder = await b.locks.acquire(key);
    const pass = async (at: number): Promise<void> => {
      const lock = await a.locks.acquire(key, { handoff: { max: 3 } });
      order.push(at);
      if (at === 0) await waitFor(() => lock.state === 'lost');
      await lock.release();
    };
    const early = Array.from({ length: 12 }, (_, at) => pass(at)); // four nodes of three callers
    await waitFor(async () => (await nodes()).length === 5);
    await holder.release();
    await waitFor(() => order.length === 1);
    const [first] = (await nodes()).sort((x, y) => (x.slice(-10) < y.slice(-10) ? -1 : 1));
    await admin.delete(`/locks/${key}/${first}`);
    await Promise.all(early);
    expect(order).toEqual(Array.from({ length: 12 }, (_, at) => at));
  });

  it('should keep the order of five thousand callers who come at once', async () => {
    const order: number[] = [];
    await Promise.all(
      Array.from({ length: 5_000 }, (_, at) =>
        a.locks.withLock(key, () => void order.push(at), { waitMs: 60_000 }),
      ),
    );
    expect(order).toEqual(Array.from({ length: 5_000 }, (_, at) => at));
  });

  it('should say busy to all but one of those who do not wait, while the node is being made', async () => {
    const tried = await Promise.all([1, 2, 3].map(() => a.locks.tryAcquire(key)));
    expect(tried.map((lock) => lock !== null)).toEqual([true, false, false]);
    await tried[0]?.release();
  });

  it('should not be handed on when its node was removed together with the parent', async () => {
    const held = await a.locks.acquire(key);
    const waiting = a.locks.acquire(key);
    await waitFor(() => proxy.requests.length === 3); // it looks for company
    await untilAnswered();
    await admin.deleteTree(`/locks/${key}`);
    await waitFor(() => held.state === 'lost');
    const lock = await waiting;
    expect(await lock.verify()).toBe(true);
    await held.release();
    await lock.release();
  });

  it('should look for company no more once it has it', async () => {
    const held = await a.locks.acquire(key);
    const early = Array.from({ length: 20 }, () => a.locks.acquire(key));
    await waitFor(() => proxy.requests.length === 3);
    await untilAnswered();
    const outside = b.locks.acquire(key);
    await waitFor(() => proxy.requests.length === 4);
    await untilAnswered();
    proxy.reset();
    await held.release();
    for (const caller of early) await (await caller).release();
    await (await outside).release();
    expect(ops()).toEqual(['delete']);
  });

  it('should give every caller a node of its own with handoff: false, and strict order', async () => {
    const held = await a.locks.acquire(key, { handoff: false });
    const order: string[] = [];
    const pass = async (name: string): Promise<void> => {
      const lock = await a.locks.acquire(key, { handoff: false });
      order.push(name);
      await lock.release();
    };
    const first = pass('first');
    await waitFor(async () => (await nodes()).length === 2);
    const second = pass('second');
    await waitFor(async () => (await nodes()).length === 3);
    await held.release();
    await Promise.all([first, second]);
    expect(order).toEqual(['first', 'second']);
  });

  it('should take another node after 4,095 grants of one, and go on with rising tokens', async () => {
    let last = 0n;
    let served = 0;
    await Promise.all(
      Array.from({ length: 10 }, async () => {
        while (served < GRANTS_PER_NODE + 500) {
          await a.locks.withLock(key, ({ fencingToken }) => {
            expect(fencingToken > last).toBe(true);
            last = fencingToken;
            served += 1;
          });
        }
      }),
    );
    await untilAnswered();
    expect(proxy.count('create')).toBe(2);
    expect(proxy.count('delete')).toBe(2);
  });

  it('should let those who wait queue again when the holder loses its node', async () => {
    const held = await a.locks.acquire(key);
    const lost = new Promise((resolve) => held.signal.addEventListener('abort', resolve));
    const waiting = a.locks.acquire(key);
    await untilWaiting(a, 1);
    const [own] = await nodes();
    await admin.delete(`/locks/${key}/${own}`);
    expect(await held.verify()).toBe(false);
    await lost;
    const next = await waiting; // although the section that lost it goes on
    expect(held.state).toBe('lost');
    expect(await next.verify()).toBe(true);
    await held.release();
    expect(await next.verify()).toBe(true);
    await next.release();
  });

  it('should not be granted a node that somebody removed while it was next in line (B15)', async () => {
    const holder = await b.locks.acquire(key);
    const waiting = a.locks.acquire(key);
    await waitFor(async () => (await nodes()).length === 2);
    await untilAnswered();
    const [, own] = (await nodes()).sort((x, y) => (x.slice(-10) < y.slice(-10) ? -1 : 1));
    await admin.delete(`/locks/${key}/${own}`);
    await holder.release();
    const lock = await waiting;
    expect(await lock.verify()).toBe(true);
    expect(await b.locks.tryAcquire(key)).toBeNull();
    await lock.release();
  });

  it('should settle everybody once when the session expires', async () => {
    const held = await a.locks.acquire(key);
    const waiting = Array.from({ length: 20 }, () => a.locks.acquire(key));
    await untilWaiting(a, 20);
    await proxy.expireSessions();
    await waitFor(() => held.state === 'lost');
    const tokens: bigint[] = [];
    for (const caller of waiting) {
      const lock = await caller;
      expect(await lock.verify()).toBe(true);
      tokens.push(lock.fencingToken);
      await lock.release();
    }
    await held.release();
    expect(tokens.every((token, at) => token > (at === 0 ? held.fencingToken : tokens[at - 1]!))).toBe(true);
  });

  it('should refuse more than maxWaiting callers of one key at once, and serve the others', async () => {
    await using few = await LockClient.open(server.connectString, { maxWaiting: 2 });
    const held = await few.locks.acquire(key);
    const waiting = [few.locks.acquire(key), few.locks.acquire(key)];
    await expect(few.locks.acquire(key)).rejects.toMatchObject({
      code: 'ZK_LOCK_TIMEOUT',
      message: expect.stringContaining('maxWaiting'),
    });
    await (await few.locks.acquire(`${key}-other`)).release();
    await (await few.locks.semaphore(`${key}-permits`, 3).acquire({ permits: 3 })).release();
    await held.release();
    for (const caller of waiting) await (await caller).release();
  });

  it('should tell of the holder of this moment when it holds for long', async () => {
    await using short = await LockClient.open(server.connectString, { sessionTimeoutMs: 4_000 });
    const first = await short.locks.acquire(key, { purpose: 'first' });
    const second = short.locks.acquire(key, { purpose: 'second' });
    await first.release();
    const lock = await second;
    await waitFor(async () => (await b.locks.contenders(key))[0]?.purpose === 'second');
    await lock.release();
  });

  it('should let the event loop turn, however short the sections are', async () => {
    let turned = 0;
    let stop = false;
    const count = (): void => {
      turned += 1;
      if (!stop) setImmediate(count);
    };
    setImmediate(count);
    for (let i = 0; i < 1_000; i += 1) await a.locks.withLock(key, () => undefined, { lingerMs: 60_000 });
    stop = true;
    expect(turned).toBeGreaterThan(10);
    await a.manager.finishShutdown();
  });

  it('should hand on only after minHoldMs', async () => {
    const first = await a.locks.acquire(key, { minHoldMs: 300 });
    const second = a.locks.acquire(key);
    await first.release();
    const lock = await second;
    expect(lock.acquiredAt.getTime() - first.acquiredAt.getTime()).toBeGreaterThanOrEqual(295);
    await lock.release();
  });

  it('should share one read node among the readers of a process, and let no writer starve', async () => {
    const { read, write } = a.locks.readWriteLock(key);
    await read.withLock(() => undefined);
    await waitFor(async () => (await nodes()).length === 0);
    const readers = await Promise.all([1, 2, 3, 4, 5].map(() => read.acquire()));
    expect(await nodes()).toHaveLength(1);
    expect(new Set(readers.map(({ fencingToken }) => fencingToken)).size).toBe(5);
    const writing = b.locks.readWriteLock(key).write.acquire();
    await waitFor(async () => (await nodes()).length === 2);
    const late = read.acquire();
    await waitFor(async () => (await nodes()).length === 3); // behind the writer
    for (const reader of readers) await reader.release();
    const writer = await writing;
    expect(await read.tryAcquire()).toBeNull();
    expect(await write.tryAcquire()).toBeNull();
    await writer.release();
    await (await late).release();
  });
});
