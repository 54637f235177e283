import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { LockClient } from '../support/lock-client.js';
import { waitFor } from '../support/wait-for.js';
import { ZkAdmin } from '../support/zk-admin.js';
import { ZkProxy } from '../support/zk-proxy.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

describe('Giving a lock back', () => {
  let server: ZooKeeperServer;
  let proxy: ZkProxy;
  let admin: ZkAdmin;
  let client: LockClient;
  let key: string;
  let count = 0;

  const nodes = async (): Promise<string[]> => admin.children(`/locks/${key}`);

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
    key = `release-${(count += 1)}`;
    client = await LockClient.open(proxy.connectString, { sessionTimeoutMs: 30_000, releaseWaitMs: 20_000 });
  });
  afterEach(async () => {
    await waitFor(async () => (await nodes()).length === 0, { what: 'no node left' });
    await client[Symbol.asyncDispose]();
  });

  it('should let withLock return as soon as the delete was sent, and release() only when it is confirmed', async () => {
    const lock = await client.locks.acquire(`${key}-handle`);
    await client.locks.withLock(key, () => undefined); // the parent is known from now on
    await waitFor(async () => (await nodes()).length === 0);
    const rule = proxy.on({ op: 'delete', times: 2 }, 'hold-answer');
    await client.locks.withLock(key, () => undefined); // no answer to its delete has come
    expect(client.locks.stats().held).toBe(2);
    const events: string[] = [];
    const released = lock.release().then(() => events.push('released'));
    await rule.hit(2);
    expect(events).toEqual([]);
    events.push('answered');
    rule.release();
    await released;
    expect(events).toEqual(['answered', 'released']);
  });

  it('should let the same process take the lock again before the delete is confirmed', async () => {
    await client.locks.withLock(key, () => undefined);
    for (let i = 0; i < 20; i += 1) {
      await client.locks.withLock(key, ({ path }) => expect(path).toBe(`/locks/${key}`), { waitMs: 0 });
    }
  });

  it('should delete in the background what was cut off before the confirmation', async () => {
    const rule = proxy.on({ op: 'delete' }, 'cut-before');
    await client.locks.withLock(key, () => undefined);
    await rule.hit();
    await waitFor(async () => (await nodes()).length === 0);
    await waitFor(() => client.locks.stats().held === 0);
  });
});
