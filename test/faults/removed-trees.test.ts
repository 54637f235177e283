import { afterAll, beforeAll, describe, it } from '@jest/globals';
import type { HeldLock } from '../../lib/recipes/held-lock.js';
import { LockClient } from '../support/lock-client.js';
import { waitFor } from '../support/wait-for.js';
import { ZkAdmin } from '../support/zk-admin.js';
import { ZkProxy } from '../support/zk-proxy.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

describe('Whole queues removed by hand', () => {
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
    other = await LockClient.open(server.connectString);
  });
  afterAll(async () => {
    await client[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
    admin.close();
    await proxy[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  const remove = async (path: string): Promise<void> => {
    for (const name of await admin.children(path)) await remove(`${path}/${name}`);
    await admin.delete(path).catch(() => undefined); // somebody may be quicker to make it again
  };

  it.each<[string, string, (client: LockClient, key: string) => Promise<HeldLock>]>([
    ['mutex', '', ({ locks }, key) => locks.acquire(key)],
    ['write lock', '', ({ locks }, key) => locks.readWriteLock(key).write.acquire()],
    ['semaphore', '/locks', ({ locks }, key) => locks.semaphore(key, 1).acquire()],
    ['semaphore', '/leases', ({ locks }, key) => locks.semaphore(key, 1).acquire()],
    ['multi-lock', '', ({ locks }, key) => locks.multiLock([`a-${key}`, key]).acquire()],
    [
      'leader',
      '',
      ({ locks }, key) =>
        new Promise((resolve, reject) => {
          locks.leaderElection(key).run(resolve).catch(reject);
        }),
    ],
  ])('should make a %s queue again when all of it%s is gone when it looks', async (kind, below, acquire) => {
    const key = `tree-${kind.replace(' ', '-')}${below.replace('/', '-')}`;
    const queue = `/locks/${key}${below}`;
    await (await acquire(client, key)).release(); // the parents exist now
    await waitFor(async () => client.locks.stats().held === 0);
    const lists = proxy.on({ op: 'getChildren2', path: queue }, 'hold-request');
    const waiting = acquire(client, key);
    waiting.catch(() => undefined);
    await lists.hit();
    await waitFor(async () => (await admin.children(queue)).length === 1);
    await remove(queue);
    lists.release();
    await (await waiting).release();
  });

  it.each(['mutex', 'semaphore'])('should make a waiter for a %s queue again', async (kind) => {
    const key = `waited-${kind}`;
    const acquire = ({ locks }: LockClient): Promise<HeldLock> =>
      kind === 'mutex' ? locks.acquire(key) : locks.semaphore(key, 1).acquire();
    const held = await acquire(other);
    const waiting = acquire(client);
    const queue = kind === 'mutex' ? `/locks/${key}` : `/locks/${key}/leases`;
    await waitFor(async () => (await admin.children(queue)).length === 2);
    await remove(queue);
    await held.release();
    await (await waiting).release();
  });
});
