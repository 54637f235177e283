import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { HandoffStage } from '../support/handoff-stage.js';
import { LockClient } from '../support/lock-client.js';
import { waitFor } from '../support/wait-for.js';
import type { ZkAdmin } from '../support/zk-admin.js';
import type { ZkProxy } from '../support/zk-proxy.js';

/** What a node can serve at most. */
const GRANTS_PER_NODE = 4_095;

describe('Handoff among callers of one process', () => {
  let stage: HandoffStage;
  let proxy: ZkProxy;
  let admin: ZkAdmin;
  let a: LockClient;
  let b: LockClient;
  let key: string;

  beforeAll(async () => {
    stage = await HandoffStage.start();
    ({ proxy, admin } = stage);
  });
  afterAll(async () => {
    await stage[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    ({ a, b, key } = await stage.next());
  });
  afterEach(async () => {
    await stage.leave();
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
    await stage.untilAnswered();
    expect(order).toEqual(Array.from({ length: 50 }, (_, at) => at));
    expect(tokens).toEqual([...tokens].sort((x, y) => (x < y ? -1 : 1)));
    expect(new Set(tokens).size).toBe(50);
    expect(stage.ops()).toEqual(['create', 'getChildren2', 'getChildren2', 'delete']); // the second list looks for company
  });

  it('should cost no request when a caller of the process times out, or is cancelled, or is refused', async () => {
    const held = await a.locks.acquire(key);
    const controller = new AbortController();
    const waiting = a.locks.acquire(key); // looks for company, once
    await stage.untilRequests(3);
    const before = proxy.requests.length;
    const cancelled = a.locks.acquire(key, { signal: controller.signal });
    controller.abort();
    await expect(cancelled).rejects.toMatchObject({ code: 'ZK_LOCK_ABORTED' });
    await expect(a.locks.acquire(key, { waitMs: 50 })).rejects.toMatchObject({
      code: 'ZK_LOCK_TIMEOUT',
      position: 3,
    });
    expect(await a.locks.tryAcquire(key)).toBeNull();
    expect(stage.ops().slice(before)).toEqual([]);
    await held.release();
    await (await waiting).release();
  });

  it('should say busy to all but one of those who do not wait, while the node is being made', async () => {
    const tried = await Promise.all([1, 2, 3].map(() => a.locks.tryAcquire(key)));
    expect(tried.map((lock) => lock !== null)).toEqual([true, false, false]);
    await tried[0]?.release();
  });

  it('should not be handed on when its node was removed together with the parent', async () => {
    const held = await a.locks.acquire(key);
    const waiting = a.locks.acquire(key);
    await stage.untilRequests(3); // it looks for company
    const [own] = await admin.children(`/locks/${key}`);
    // Sent together, or the process would have made its next node in between.
    await Promise.all([admin.delete(`/locks/${key}/${own}`), admin.delete(`/locks/${key}`)]);
    await waitFor(() => held.state === 'lost');
    const lock = await waiting;
    expect(await lock.verify()).toBe(true);
    await held.release();
    await lock.release();
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
    await stage.untilAnswered();
    expect(proxy.count('create')).toBe(2);
    expect(proxy.count('delete')).toBe(2);
  });

  it('should let those who wait queue again when the holder loses its node', async () => {
    const held = await a.locks.acquire(key);
    const lost = new Promise((resolve) => held.signal.addEventListener('abort', resolve));
    const waiting = a.locks.acquire(key);
    await stage.untilWaiting(a, 1);
    const [own] = await stage.nodes();
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
    await stage.untilNodes(2);
    await stage.untilAnswered();
    const [, own] = await stage.nodes();
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
    await stage.untilWaiting(a, 20);
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
    await using few = await LockClient.open(stage.server.connectString, { maxWaiting: 2 });
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
    await using short = await LockClient.open(stage.server.connectString, { sessionTimeoutMs: 4_000 });
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
});
