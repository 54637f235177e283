import { describe, expect, it } from '@jest/globals';
import { TestingServer } from '../../lib/testing/testing-server.js';
import { LockClient } from '../support/lock-client.js';

describe('Parents that are missing again and again', () => {
  it('should be made with pauses, and the call should end at its deadline', async () => {
    await using server = await TestingServer.start();
    const client = await LockClient.open(server.connectString);
    let creates = 0;
    const forget = server.intercept(({ op, path = '' }) => {
      if (op !== 'create' || !path.startsWith('/locks/never/')) return undefined;
      creates += 1;
      return { error: 'NoNode' };
    });
    await expect(client.locks.acquire('never', { waitMs: 1_500 })).rejects.toMatchObject({
      code: expect.stringMatching(/^ZK_LOCK_(TIMEOUT|CONNECTION)$/),
    });
    expect(creates).toBeGreaterThan(1);
    expect(creates).toBeLessThan(100);
    forget();
    await client.locks.withLock('never', () => undefined);
    const [session] = server.sessions();
    server.expireSession(session!.id); // or its close would block this event loop
    await client[Symbol.asyncDispose]();
  });
});
