import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LockClient } from '../support/lock-client.js';
import { waitFor } from '../support/wait-for.js';
import { ZooKeeperEnsemble } from '../support/zookeeper-ensemble.js';

/** Three servers, of which one goes. */
describe('An ensemble', () => {
  let ensemble: ZooKeeperEnsemble;
  let a: LockClient;
  let b: LockClient;

  beforeAll(async () => {
    ensemble = await ZooKeeperEnsemble.start();
    a = await LockClient.open(ensemble.connectString, { sessionTimeoutMs: 10_000 });
    b = await LockClient.open(ensemble.connectString, { sessionTimeoutMs: 10_000 });
  }, 60_000);
  afterAll(async () => {
    await a[Symbol.asyncDispose]();
    await b[Symbol.asyncDispose]();
    await ensemble[Symbol.asyncDispose]();
  });

  it('should keep sessions, locks and the queue when its leader is killed (B32)', async () => {
    const held = await a.locks.acquire('k');
    const waiting = b.locks.acquire('k', { waitMs: 60_000 });
    await waitFor(async () => (await a.locks.contenders('k')).length === 2);
    const sessions = [a, b].map((client) => client.connection.info().sessionId);
    const leader = await ensemble.leader();
    await leader.kill();
    await Promise.all([a.connection.ping(30_000), b.connection.ping(30_000)]);
    // Whether the holder came through depends on how long the election took; what it says of itself has to be true.
    const [first] = await a.locks.contenders('k');
    if (held.isHeld()) {
      expect(first?.mine).toBe(true);
      expect(await held.verify()).toBe(true);
      expect(a.connection.info().sessionId).toBe(sessions[0]);
    } else {
      expect(held.state).toBe('lost');
    }
    await held.release();
    const next = await waiting;
    expect(next.fencingToken).toBeGreaterThan(held.fencingToken);
    await next.release();
    await leader.start();
  }, 90_000);

  it('should grant nothing while there is no quorum, and go on by itself afterwards', async () => {
    const before = await a.locks.acquire('quorum');
    await before.release();
    const [one, two] = await ensemble.followers();
    await Promise.all([one!.kill(), two!.kill()]);
    await waitFor(() => a.connection.state !== 'connected', { timeoutMs: 30_000 });
    await expect(a.locks.acquire('quorum', { waitMs: 500 })).rejects.toMatchObject({
      code: 'ZK_LOCK_CONNECTION',
    });
    const patient = a.locks.acquire('quorum', { waitMs: 60_000 });
    await Promise.all([one!.start(), two!.start()]);
    const after = await patient;
    expect(after.fencingToken).toBeGreaterThan(before.fencingToken);
    await after.release();
  }, 90_000);
});
