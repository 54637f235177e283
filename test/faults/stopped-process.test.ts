import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startWorker } from '../support/child-process.js';
import { LockClient } from '../support/lock-client.js';
import { waitFor } from '../support/wait-for.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

interface Held {
  token: bigint;
  timeoutMs: number;
}

interface Answer {
  held: boolean;
  aborted: boolean;
  told: boolean;
  reason: string;
}

describe('A process that is stopped', () => {
  let server: ZooKeeperServer;
  let other: LockClient;

  beforeAll(async () => {
    server = await ZooKeeperServer.start();
    other = await LockClient.open(server.connectString);
  });
  afterAll(async () => {
    await other[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  it('should find its lock not held in the first statement after SIGSTOP and SIGCONT (B11, B12)', async () => {
    await using worker = startWorker('holder.worker.ts', [server.connectString, 'stopped']);
    const { token, timeoutMs } = await worker.next<Held>();
    worker.send('spin');
    const waiting = other.locks.acquire('stopped', { waitMs: 30_000 });
    await waitFor(async () => (await other.locks.contenders('stopped')).length === 2);
    worker.pause();
    const next = await waiting; // the session of the stopped process has expired
    expect(next.fencingToken).toBeGreaterThan(token);
    const stoppedSince = performance.now();
    await waitFor(() => performance.now() - stoppedSince > timeoutMs);
    worker.resume();
    const answer = await worker.next<Answer>();
    expect(answer).toEqual({ held: false, aborted: true, told: true, reason: 'lease-expired' });
    expect(await next.verify()).toBe(true);
    await next.release();
  });

  it('should free its lock within the session timeout when it is killed', async () => {
    await using worker = startWorker('holder.worker.ts', [server.connectString, 'killed']);
    const { timeoutMs } = await worker.next<Held>();
    const waiting = other.locks.acquire('killed', { waitMs: 30_000 });
    await waitFor(async () => (await other.locks.contenders('killed')).length === 2);
    const killedAt = performance.now();
    await worker.kill();
    const lock = await waiting;
    expect(performance.now() - killedAt).toBeLessThan(timeoutMs + 10_000); // ticks of the server, and a slow machine
    await lock.release();
    expect(await other.locks.contenders('killed')).toEqual([]);
  });
});
