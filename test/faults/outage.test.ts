import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LockClient } from '../support/lock-client.js';
import { waitFor } from '../support/wait-for.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

const code = (error: unknown): unknown => (error as { code?: unknown }).code;

describe('A server that is down', () => {
  let server: ZooKeeperServer;
  let client: LockClient;

  beforeAll(async () => {
    server = await ZooKeeperServer.start();
    client = await LockClient.open(server.connectString);
  });
  afterAll(async () => {
    await client[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  it('should be told within the deadline, and everything works again by itself (B31, B32, B36)', async () => {
    await client.locks.withLock('k', () => undefined);
    await server.stop();
    await waitFor(() => client.connection.state === 'suspended');

    for (const options of [{ waitMs: 500 }, { waitMs: 0, attemptMs: 300 }]) {
      const started = performance.now();
      const error = await client.locks.acquire('k', options).catch((caught: unknown) => caught);
      expect(code(error)).toBe('ZK_LOCK_CONNECTION');
      expect((error as Error).message).toMatch(/could not be asked .* suspended/);
      const deadline = options.waitMs || options.attemptMs!;
      expect(performance.now() - started).toBeGreaterThanOrEqual(deadline - 1);
      expect(performance.now() - started).toBeLessThan(deadline + 5_000);
    }
    await expect(client.locks.tryAcquire('k', { attemptMs: 200 })).rejects.toMatchObject({
      code: 'ZK_LOCK_CONNECTION',
    });
    await expect(client.connection.ping(100)).rejects.toMatchObject({ code: 'ZK_LOCK_CONNECTION' });

    const patient = client.locks.acquire('k', { waitMs: 30_000 });
    await server.start();
    const lock = await patient;
    expect(await lock.verify()).toBe(true);
    await lock.release();
    expect(await client.locks.contenders('k')).toEqual([]);
  });

  it('should lose its locks at the lease deadline, not before, while the server is paused (B11, B12)', async () => {
    const lock = await client.locks.acquire('k');
    const timeoutMs = client.connection.info().negotiatedTimeoutMs!;
    await lock.verify();
    const lost = new Promise<number>((resolve) => {
      lock.signal.addEventListener('abort', () => resolve(performance.now()));
    });
    const paused = performance.now();
    await server.pause();
    try {
      const lastHeld = { at: 0 };
      const timer = setInterval(() => lock.isHeld() && (lastHeld.at = performance.now()), 5);
      const lostAt = await lost;
      clearInterval(timer);
      // The lease ends 2T/3 after the last answered request was sent; that was at most a sixth of T before the pause.
      expect(lostAt - paused).toBeGreaterThan(timeoutMs / 2 - 50);
      expect(lostAt - paused).toBeLessThan(timeoutMs);
      expect(lastHeld.at).toBeLessThanOrEqual(lostAt);
      expect(lock.isHeld()).toBe(false);
      expect(lock.signal.reason).toMatchObject({ code: 'ZK_LOCK_LOST', reason: 'lease-expired' });
      expect(() => lock.assertHeld()).toThrow(expect.objectContaining({ code: 'ZK_LOCK_LOST' }));
      expect(await lock.verify()).toBe(false);
    } finally {
      await server.resume();
    }
    await client.connection.connected(15_000);
    await lock.release(); // the session may have lived on: the node goes when the section ends (B19)
    await waitFor(async () => (await client.locks.contenders('k')).length === 0);
    expect(lock.state).toBe('lost');
    expect(client.lines.filter((line) => line.startsWith('error: The lock "k"'))).toHaveLength(1);
  });

  it('should find the lock not held in the first statement after a blocked event loop', async () => {
    const timeoutMs = client.connection.info().negotiatedTimeoutMs!;
    await using other = await LockClient.open(server.connectString);
    const call = client.locks.withLock('blocked', async (lock) => {
      const next = other.locks.acquire('blocked'); // by another session; it is granted after the block
      await waitFor(async () => (await other.locks.contenders('blocked')).length === 2);
      const end = performance.now() + timeoutMs * 1.5;
      while (performance.now() < end);
      const first = lock.isHeld();
      await Promise.resolve();
      expect(first).toBe(false);
      expect(lock.signal.aborted).toBe(true);
      return next;
    });
    await expect(call).rejects.toMatchObject({ code: 'ZK_LOCK_LOST', reason: 'lease-expired' });
    await waitFor(async () => {
      const [first] = await other.locks.contenders('blocked');
      return first?.mine;
    });
  });
});
