import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { EACH_ITS_NODE, LockClient } from '../support/lock-client.js';
import { waitFor } from '../support/wait-for.js';
import { ZkAdmin } from '../support/zk-admin.js';
import { ZkProxy } from '../support/zk-proxy.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

/** Longer than any test: what is given up earlier is given up for a reason. */
const LONG = 60_000;

describe('A node that lingers after the last release', () => {
  let server: ZooKeeperServer;
  let proxy: ZkProxy;
  let admin: ZkAdmin;
  let a: LockClient;
  let b: LockClient;
  let key: string;
  let count = 0;

  const nodes = async (): Promise<string[]> => admin.children(`/locks/${key}`);
  const untilAnswered = (): Promise<unknown> => waitFor(() => proxy.requests.every(({ answer }) => answer));

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
    key = `linger-${(count += 1)}`;
    proxy.reset();
    a = await LockClient.open(proxy.connectString, { sessionTimeoutMs: 60_000, lingerMs: LONG });
    b = await LockClient.open(server.connectString, EACH_ITS_NODE);
    await a.locks.withLock(key, () => undefined);
    await waitFor(() => proxy.requests.length >= 4, {
      what: () => proxy.requests.map(({ op }) => op).join(),
    });
    await untilAnswered();
    proxy.reset();
  });
  afterEach(async () => {
    await a[Symbol.asyncDispose]();
    expect(await nodes()).toEqual([]); // the shutdown gives it up
    await b[Symbol.asyncDispose]();
  });

  it('should let the process in again without a request, with rising tokens', async () => {
    const tokens: bigint[] = [];
    for (let i = 0; i < 100; i += 1) {
      await a.locks.withLock(key, ({ fencingToken }) => void tokens.push(fencingToken));
    }
    expect(proxy.requests).toEqual([]);
    expect(tokens.every((token, at) => at === 0 || token > tokens[at - 1]!)).toBe(true);
    expect(await nodes()).toHaveLength(1);
    expect(a.locks.stats()).toEqual({ held: 0, waiting: 0, lingering: 1 });
  });

  it('should be given up at once when somebody else wants the lock', async () => {
    const lock = await b.locks.acquire(key, { waitMs: 10_000 });
    expect(proxy.count('delete')).toBe(1);
    expect(await a.locks.tryAcquire(key)).toBeNull();
    await lock.release();
  });

  it('should be given up at once when a program that we do not know wants the lock', async () => {
    await admin.create(
      `/locks/${key}/_c_00000000-0000-0000-0000-000000000000-lock-`,
      '',
      'ephemeral-sequential',
    );
    await waitFor(async () => (await nodes()).length === 1);
    const [own] = await nodes();
    expect(await a.locks.tryAcquire(key)).toBeNull();
    await admin.delete(`/locks/${key}/${own}`);
  });

  it('should not look busy to a call that does not wait', async () => {
    const lock = await b.locks.tryAcquire(key);
    expect(lock?.isHeld()).toBe(true);
    await lock?.release();
  });

  it('should look busy to a call that does not wait while it is in use, long before attemptMs', async () => {
    const held = await a.locks.acquire(key);
    const never = b.locks.tryAcquire(key, { attemptMs: LONG });
    expect(await never).toBeNull();
    expect(held.isHeld()).toBe(true);
    await held.release();
    await waitFor(async () => (await nodes()).length === 0); // it has had company
  });

  it('should end after lingerMs', async () => {
    await a.locks.withLock(`${key}-short`, () => undefined, { lingerMs: 100 });
    await waitFor(async () => (await admin.children(`/locks/${key}-short`)).length === 1);
    await waitFor(async () => (await admin.children(`/locks/${key}-short`)).length === 0);
  });

  it('should not be used any more when the event loop was blocked for longer than lingerMs', async () => {
    const short = `${key}-blocked`;
    let before = 0n;
    await a.locks.withLock(short, ({ fencingToken }) => void (before = fencingToken), { lingerMs: 200 });
    await untilAnswered();
    proxy.reset();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
    const lock = await a.locks.acquire(short); // no timer has fired yet
    expect(lock.fencingToken >> 12n).not.toBe(before >> 12n);
    await lock.release();
  });

  it('should not be used any more after a break of the connection', async () => {
    const before = a.connection.connectedSession!.connectionNumber;
    proxy.cutAll();
    await waitFor(
      () => a.connection.connectedSession && a.connection.connectedSession.connectionNumber > before,
    );
    const lock = await a.locks.acquire(key);
    expect(proxy.count('create')).toBe(1);
    expect(await lock.verify()).toBe(true);
    await lock.release();
  });

  it('should end after lingerMs although others come and go beside it', async () => {
    const { read } = a.locks.readWriteLock(`${key}-read`);
    const beside = b.locks.readWriteLock(`${key}-read`).read;
    await read.withLock(() => undefined, { lingerMs: 300 });
    await waitFor(async () => {
      await beside.withLock(() => undefined);
      return a.locks.stats().lingering === 1; // the other key's
    });
  });

  it('should be given up when it is asked to let go, and its next holder hear nothing of that', async () => {
    await using short = await LockClient.open(server.connectString, {
      sessionTimeoutMs: 4_000,
      lingerMs: LONG,
    });
    const asked = `${key}-asked`;
    await short.locks.withLock(asked, () => undefined);
    await waitFor(async () => (await b.locks.contenders(asked)).length === 1);
    await b.locks.requestRelease(asked, { reason: 'deploy' });
    await waitFor(() => short.locks.stats().lingering === 0);
  });

  it('should not be used any more when somebody removed it, or its parent with it', async () => {
    await a.locks.withLock(`${key}-tree`, () => undefined);
    await waitFor(() => a.locks.stats().lingering === 2);
    await admin.deleteTree(`/locks/${key}-tree`);
    await waitFor(() => a.locks.stats().lingering === 1);
    const again = await a.locks.acquire(`${key}-tree`);
    expect(await again.verify()).toBe(true);
    await again.release();
  });

  it('should not look idle after a break of the connection while it is in use', async () => {
    const held = await a.locks.acquire(key);
    const before = a.connection.connectedSession!.connectionNumber;
    proxy.cutAll();
    await waitFor(
      () => a.connection.connectedSession && a.connection.connectedSession.connectionNumber > before,
    );
    await waitFor(
      async () => !(await admin.get(`/locks/${key}/${(await nodes())[0]}`)).data.includes('lingers'),
    );
    expect(await b.locks.tryAcquire(key, { attemptMs: LONG })).toBeNull();
    await held.release();
  });

  it('should not be used any more when somebody removed it', async () => {
    const [own] = await nodes();
    await admin.delete(`/locks/${key}/${own}`);
    await waitFor(() => a.locks.stats().lingering === 0);
    const lock = await a.locks.acquire(key);
    expect(await lock.verify()).toBe(true);
    await lock.release();
  });

  it('should still not look busy after a caller that took it over held it for long', async () => {
    await using short = await LockClient.open(server.connectString, {
      sessionTimeoutMs: 4_000,
      lingerMs: LONG,
    });
    const taken = `${key}-long`;
    const first = await short.locks.acquire(taken, { purpose: 'first' });
    const second = short.locks.acquire(taken, { purpose: 'second' });
    await first.release();
    const lock = await second;
    await waitFor(async () => (await b.locks.contenders(taken))[0]?.purpose === 'second');
    await lock.release();
    const next = await b.locks.tryAcquire(taken);
    expect(next?.isHeld()).toBe(true);
    await next?.release();
  });

  it('should be kept for a thousand keys at most', async () => {
    for (let from = 0; from < 1_100; from += 100) {
      const keys = Array.from({ length: 100 }, (_, at) => `${key}-many-${from + at}`);
      await Promise.all(keys.map((each) => a.locks.withLock(each, () => undefined)));
    }
    expect(a.locks.stats().lingering).toBe(1_000);
  });
});
