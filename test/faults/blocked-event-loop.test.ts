import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startWorker } from '../support/child-process.js';
import { FencedRegister } from '../support/fenced-register.js';
import { LockClient } from '../support/lock-client.js';
import { waitFor } from '../support/wait-for.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

describe('A blocked event loop inside a decorated method', () => {
  let server: ZooKeeperServer;
  let other: LockClient;
  let folder: string;

  beforeAll(async () => {
    server = await ZooKeeperServer.start();
    other = await LockClient.open(server.connectString);
    folder = await mkdtemp(join(tmpdir(), 'zk-lock-blocked-'));
  });
  afterAll(async () => {
    await other[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  it('should be found out at once, end in LockLostError, and write nothing over the next holder', async () => {
    const timeoutMs = 4_000;
    const file = join(folder, 'register.sqlite');
    using register = new FencedRegister(file);
    const args = [server.connectString, file, String(timeoutMs * 1.5), String(timeoutMs)];
    await using worker = startWorker('blocked.worker.ts', args);
    const { token } = await worker.next<{ token: bigint }>();
    const waiting = other.locks.acquire('report', { waitMs: 30_000 });
    await waitFor(async () => (await other.locks.contenders('report')).length === 2);
    worker.send('block');
    const lock = await waiting; // while the other one is blocked
    expect(lock.fencingToken).toBeGreaterThan(token);
    expect(register.write('report', lock.fencingToken, 'in time')).toBe(true);
    expect(await worker.next(30_000)).toEqual({
      held: false,
      aborted: true,
      written: false,
      outcome: 'LockLostError lease-expired',
    });
    expect(register.read('report')).toEqual({ token: lock.fencingToken, value: 'in time' });
    expect(await lock.verify()).toBe(true);
    await lock.release();
  });
});
