import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ZkLockModule } from '../../lib/zk-lock.module.js';
import { LockClient } from '../support/lock-client.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

const SECRET = 's3cret-enough';

describe('What is printed by accident', () => {
  let server: ZooKeeperServer;
  let client: LockClient;

  beforeAll(async () => {
    server = await ZooKeeperServer.start();
    const auth = { scheme: 'digest', credentials: `bob:${SECRET}` };
    client = await LockClient.open(server.connectString, { auth });
  });
  afterAll(async () => {
    await client[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  it('should never hold the credentials', () => {
    const auth = { scheme: 'digest', credentials: `bob:${SECRET}` } as const;
    const everything = [
      client.connection,
      client.locks,
      client.manager,
      ZkLockModule.forRoot({ connectString: 'zk', auth }),
    ];
    for (const thing of everything) {
      expect(inspect(thing, { depth: 12, showHidden: false })).not.toContain(SECRET);
    }
    expect(JSON.stringify(client.connection)).toContain('"state":"connected"');
  });

  it('should describe a lock in a line, and as JSON with tokens as strings', async () => {
    const lock = await client.locks.acquire('printed');
    expect(JSON.parse(JSON.stringify(lock))).toEqual({
      key: 'printed',
      path: '/locks/printed',
      mode: 'exclusive',
      state: 'held',
      degraded: false,
      acquiredAt: lock.acquiredAt.toISOString(),
      fencingTokens: { printed: String(lock.fencingToken) },
    });
    expect(inspect(lock)).toContain("state: 'held'");
    await lock.release();
    const both = await client.locks.multiLock(['a', 'b']).acquire();
    expect(
      Object.keys((JSON.parse(JSON.stringify(both)) as { fencingTokens: object }).fencingTokens),
    ).toEqual(['a', 'b']);
    await both.release();
  });
});
