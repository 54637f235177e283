import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LockClient } from '../support/lock-client.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

describe('Two connections', () => {
  let servers: ZooKeeperServer[];
  let a: LockClient;
  let b: LockClient;
  let other: LockClient;

  beforeAll(async () => {
    servers = await Promise.all([ZooKeeperServer.start(), ZooKeeperServer.start()]);
    a = await LockClient.open(servers[0]!.connectString);
    b = await LockClient.open(servers[1]!.connectString);
    other = await LockClient.open(servers[1]!.connectString);
  });
  afterAll(async () => {
    for (const client of [a, b, other]) await client[Symbol.asyncDispose]();
    for (const server of servers) await server[Symbol.asyncDispose]();
  });

  it('should not take the lock of one ensemble for that of the other, although the path is the same (B35)', async () => {
    const held = await other.locks.acquire('x');
    await a.locks.withLock('x', async () => {
      await expect(b.locks.withLock('x', () => undefined, { waitMs: 1_000 })).rejects.toMatchObject({
        code: 'ZK_LOCK_TIMEOUT',
      });
      await a.locks.withLock('x', () => undefined); // its own is entered again
    });
    await held.release();
  });
});
