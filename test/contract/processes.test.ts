import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startWorker } from '../support/child-process.js';
import { ZkAdmin } from '../support/zk-admin.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

interface Grant {
  pid: number;
  sequence: number;
  token: string;
}

describe('Several processes', () => {
  let server: ZooKeeperServer;
  let admin: ZkAdmin;
  let folder: string;

  beforeAll(async () => {
    server = await ZooKeeperServer.start();
    admin = await ZkAdmin.connect(server.connectString);
    folder = await mkdtemp(join(tmpdir(), 'zk-lock-processes-'));
  });
  afterAll(async () => {
    admin.close();
    await server[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  it('should pass 2,000 times over one lock without overlap, in the order of the nodes, with rising tokens', async () => {
    const rounds = 500;
    const workers = Array.from({ length: 4 }, () =>
      startWorker('contender.worker.ts', [server.connectString, 'fleet', folder, String(rounds), '5']),
    );
    try {
      await Promise.all(workers.map((worker) => worker.next(110_000)));
      expect(await Promise.all(workers.map(({ exit }) => exit))).toEqual(
        workers.map(() => ({ code: 0, signal: null })),
      );
    } finally {
      await Promise.all(workers.map((worker) => worker[Symbol.asyncDispose]()));
    }
    const log = await readFile(join(folder, 'log'), 'utf8');
    const grants = log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Grant);
    expect(grants).toHaveLength(4 * rounds);
    expect(new Set(grants.map(({ pid }) => pid)).size).toBe(4);
    grants.slice(1).forEach((grant, at) => {
      expect(grant.sequence).toBeGreaterThan(grants[at]!.sequence);
      expect(BigInt(grant.token)).toBeGreaterThan(BigInt(grants[at]!.token));
    });
    expect(await admin.children('/locks/fleet')).toEqual([]);
  }, 120_000);
});
