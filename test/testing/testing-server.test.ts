import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TestingServer } from '../../lib/testing/testing-server.js';
import { EACH_ITS_NODE, LockClient } from '../support/lock-client.js';
import { ZkAdmin } from '../support/zk-admin.js';

describe('TestingServer with the real client', () => {
  let server: TestingServer;
  beforeEach(async () => {
    server = await TestingServer.start({ tickTime: 500 });
  });
  afterEach(() => server.stop());

  it('should serve the client of the npm package', async () => {
    await using admin = await ZkAdmin.connect(server.connectString);
    await admin.ensure('/a/b');
    await admin.create('/a/b/n-', 'x', 'ephemeral-sequential');

    expect(await admin.children('/a/b')).toEqual(['n-0000000000']);
    expect((await admin.get('/a/b/n-0000000000')).data).toBe('x');
    expect(await admin.delete('/a/b/n-0000000000')).toBe(true);
    expect(await admin.exists('/a/b/n-0000000000')).toBe(false);
  });

  it.each([{}, EACH_ITS_NODE])('should carry contended locks, one holder at a time (%j)', async (options) => {
    await using one = await LockClient.open(server.connectString, options);
    await using two = await LockClient.open(server.connectString, options);
    let inside = 0;
    const tokens: bigint[] = [];
    const section = async (lock: { fencingToken: bigint }) => {
      inside += 1;
      tokens.push(lock.fencingToken);
      expect(inside).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      inside -= 1;
    };
    const callers = Array.from({ length: 40 }, (_, i) => (i % 2 ? one : two).locks.withLock('key', section));
    await Promise.all(callers);

    expect(tokens).toHaveLength(40);
    expect(tokens).toEqual(tokens.toSorted((a, b) => (a < b ? -1 : 1)));
  });
});
