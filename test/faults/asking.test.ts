import { getEventListeners } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { EACH_ITS_NODE, LockClient } from '../support/lock-client.js';
import { waitFor } from '../support/wait-for.js';
import { ZkAdmin } from '../support/zk-admin.js';
import { ZkProxy } from '../support/zk-proxy.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

describe('Questions and the connection', () => {
  let server: ZooKeeperServer;
  let proxy: ZkProxy;
  let admin: ZkAdmin;
  let client: LockClient;
  let other: LockClient;

  beforeAll(async () => {
    server = await ZooKeeperServer.start();
    proxy = await ZkProxy.start(server);
    admin = await ZkAdmin.connect(server.connectString);
    client = await LockClient.open(proxy.connectString);
    other = await LockClient.open(server.connectString, EACH_ITS_NODE);
  });
  afterEach(() => proxy.reset());
  afterAll(async () => {
    await client[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
    admin.close();
    await proxy[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  const FAULTS = ['cut-before', 'drop-answer-and-cut'] as const;

  it.each(FAULTS)('should list contenders in spite of one cut: %s', async (fault) => {
    const held = await other.locks.acquire(`listed-${fault}`);
    for (const op of ['getChildren2', 'getData'] as const) {
      const rule = proxy.on({ op, path: /listed/ }, fault);
      expect(await client.locks.contenders(`listed-${fault}`)).toHaveLength(1);
      expect(rule.hits).toBe(1);
    }
    await held.release();
  });

  it.each(FAULTS)('should read and write a shared count in spite of one cut: %s', async (fault) => {
    const size = client.locks.sharedCount(`size-${fault}`);
    for (const [at, op] of (['setData', 'create', 'sync', 'getData', 'setData'] as const).entries()) {
      const rule = proxy.on(op === 'sync' ? { op } : { op, path: /size-/ }, fault);
      await size.set(at);
      expect(await size.get()).toBe(at);
      if (op !== 'create') expect(rule.hits).toBe(1);
      rule.release();
      proxy.reset();
    }
  });

  it('should ask the holders of the first moment, and no others, in spite of a cut', async () => {
    const first = await other.locks.acquire('asked');
    const second = other.locks.acquire('asked');
    await admin.waitForChildren('/locks/asked', 2);
    const heard: string[] = [];
    first.on('release-requested', () => {
      heard.push('first');
      void first.release();
    });
    const rule = proxy.on({ op: 'setData' }, 'drop-answer-and-cut');
    const asked = client.locks.requestRelease('asked');
    await rule.hit();
    const lock = await second;
    lock.on('release-requested', () => heard.push('second'));
    expect(await asked).toBeLessThanOrEqual(1);
    const [holder] = await other.locks.contenders('asked');
    expect((await admin.get(holder!.path)).data).not.toContain('release');
    expect(heard).toEqual(['first']);
    await lock.release();
  });

  it('should still end at the deadline when there is no connection', async () => {
    const impatient = await LockClient.open(proxy.connectString, { waitMs: 600 });
    proxy.refuse();
    proxy.cutAll();
    await waitFor(() => impatient.connection.state !== 'connected');
    await expect(impatient.locks.contenders('x')).rejects.toMatchObject({ code: 'ZK_LOCK_CONNECTION' });
    proxy.accept();
    await impatient[Symbol.asyncDispose]();
  });

  // More than ten listeners on one signal are a MaxListenersExceededWarning.
  it('should need one listener however many wait on one signal or verify one lock', async () => {
    const held = await client.locks.acquire('many');
    const controller = new AbortController();
    const { signal } = controller;
    const waits = Array.from({ length: 40 }, () => {
      const waiting = client.locks.acquire('many', { signal });
      return waiting.catch((error: unknown) => (error as { code: string }).code);
    });
    const verified = Array.from({ length: 40 }, () => held.verify());
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    expect(getEventListeners(held.signal, 'abort')).toHaveLength(1);
    expect(new Set(await Promise.all(verified))).toEqual(new Set([true]));
    expect(getEventListeners(held.signal, 'abort')).toEqual([]);
    controller.abort();
    expect(new Set(await Promise.all(waits))).toEqual(new Set(['ZK_LOCK_ABORTED']));
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    await held.release();
  });
});
