import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { HeldLock } from '../../lib/recipes/held-lock.js';
import { HandoffStage } from '../support/handoff-stage.js';
import type { LockClient } from '../support/lock-client.js';
import { waitFor } from '../support/wait-for.js';
import type { ZkAdmin } from '../support/zk-admin.js';
import type { ZkProxy } from '../support/zk-proxy.js';

describe('Order among the callers of one process and those outside', () => {
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

  it('should keep the node for the others when the one who opened it leaves', async () => {
    const holder = await b.locks.acquire(key);
    const controller = new AbortController();
    const opener = a.locks.acquire(key, { signal: controller.signal });
    await stage.untilNodes(2);
    const other = a.locks.acquire(key);
    const [, before] = await stage.nodes();
    controller.abort();
    await expect(opener).rejects.toMatchObject({ code: 'ZK_LOCK_ABORTED' });
    await holder.release();
    const lock = await other;
    expect(await stage.nodes()).toEqual([before]);
    await lock.release();
  });

  it('should give the node up when its last caller leaves before the grant', async () => {
    const holder = await b.locks.acquire(key);
    const controller = new AbortController();
    const callers = [1, 2, 3].map(() => a.locks.acquire(key, { signal: controller.signal }));
    await stage.untilNodes(2);
    controller.abort();
    for (const caller of callers) await expect(caller).rejects.toMatchObject({ code: 'ZK_LOCK_ABORTED' });
    await stage.untilNodes(1);
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
    await stage.untilNodes(2);
    const late = a.locks.acquire(key).then(note('late'));
    await stage.untilNodes(3); // it has opened the next node
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
    await stage.untilRequests(3); // it is known that nobody else waits
    const outside = pass(b, 'outside');
    await stage.untilNodes(2);
    await stage.untilRequests(4); // and now, that somebody does
    const late = pass(a, 'late');
    await stage.untilNodes(3);
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
    await stage.untilRequests(3);
    const outside = pass(b, 'outside');
    await stage.untilNodes(3); // theirs, and the next one of ours for 3 and 4
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
    await stage.untilNodes(5);
    await holder.release();
    await waitFor(() => order.length === 1);
    const [first] = await stage.nodes();
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

  it('should look for company no more once it has it', async () => {
    const held = await a.locks.acquire(key);
    const early = Array.from({ length: 20 }, () => a.locks.acquire(key));
    await stage.untilRequests(3);
    const outside = b.locks.acquire(key);
    await stage.untilRequests(4);
    proxy.reset();
    await held.release();
    for (const caller of early) await (await caller).release();
    await (await outside).release();
    expect(stage.ops()).toEqual(['delete']);
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
    await stage.untilNodes(2);
    const second = pass('second');
    await stage.untilNodes(3);
    await held.release();
    await Promise.all([first, second]);
    expect(order).toEqual(['first', 'second']);
  });

  it('should share one read node among the readers of a process, and let no writer starve', async () => {
    const { read, write } = a.locks.readWriteLock(key);
    await read.withLock(() => undefined);
    await stage.untilNodes(0);
    const readers = await Promise.all([1, 2, 3, 4, 5].map(() => read.acquire()));
    expect(await stage.nodes()).toHaveLength(1);
    expect(new Set(readers.map(({ fencingToken }) => fencingToken)).size).toBe(5);
    await stage.untilAnswered(); // it has looked for company
    proxy.reset();
    const writing = b.locks.readWriteLock(key).write.acquire();
    await stage.untilRequests(1); // it has looked again, and knows of the writer
    const late = read.acquire();
    await stage.untilNodes(3); // behind the writer
    for (const reader of readers) await reader.release();
    const writer = await writing;
    expect(await read.tryAcquire()).toBeNull();
    expect(await write.tryAcquire()).toBeNull();
    await writer.release();
    await (await late).release();
  });
});
