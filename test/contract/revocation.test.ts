import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ReleaseRequest } from '../../lib/recipes/release-request.js';
import type { HeldLock } from '../../lib/recipes/held-lock.js';
import { LockClient } from '../support/lock-client.js';
import { waitFor } from '../support/wait-for.js';
import { ZkAdmin } from '../support/zk-admin.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

describe('Asking a holder to let go', () => {
  let server: ZooKeeperServer;
  let admin: ZkAdmin;
  let a: LockClient;
  let b: LockClient;

  beforeAll(async () => {
    server = await ZooKeeperServer.start();
    admin = await ZkAdmin.connect(server.connectString);
    a = await LockClient.open(server.connectString, { sessionTimeoutMs: 2_000 });
    b = await LockClient.open(server.connectString);
  });
  afterAll(async () => {
    await a[Symbol.asyncDispose]();
    await b[Symbol.asyncDispose]();
    admin.close();
    await server[Symbol.asyncDispose]();
  });

  const asked = (lock: HeldLock): Promise<ReleaseRequest> =>
    new Promise((resolve) => lock.on('release-requested', resolve));

  it('should tell the holder, who decides, and lose nothing of its record (B51)', async () => {
    const lock = await a.locks.acquire('polite', { purpose: 'Export.run', metadata: { tenant: 7 } });
    const [before] = await b.locks.contenders('polite');
    const waiting = b.locks.acquire('polite');
    const request = asked(lock);
    expect(await b.locks.requestRelease('polite', { reason: 'deploy' })).toBe(1);
    expect(await request).toEqual({ reason: 'deploy', by: expect.stringContaining(`pid ${process.pid}`) });
    expect(lock.isHeld()).toBe(true);
    const [after] = await b.locks.contenders('polite');
    expect(after).toEqual(before);
    await lock.release();
    await (await waiting).release();
  });

  it("should hear Curator's Revoker, which overwrites everything, and write the record back (B51)", async () => {
    const lock = await a.locks.acquire('revoked', { purpose: 'Export.run' });
    const [holder] = await b.locks.contenders('revoked');
    const request = asked(lock);
    await admin.set(holder!.path, '__REVOKE__');
    expect(await request).toEqual({});
    await waitFor(async () => (await b.locks.contenders('revoked'))[0]?.purpose === 'Export.run');
    expect(lock.isHeld()).toBe(true);
    expect(await lock.verify()).toBe(true);
    await lock.release();
  });

  it("should write Curator's message into the node of another library, and ask all holders there are", async () => {
    await admin.ensure('/locks/foreign');
    const node = await admin.create('/locks/foreign/_c_x-lock-', '', 'ephemeral-sequential');
    expect(await b.locks.requestRelease('foreign')).toBe(1);
    expect((await admin.get(node)).data).toBe('__REVOKE__');
    await admin.delete(node);
    expect(await b.locks.requestRelease('nobody')).toBe(0);
    const readers = await Promise.all(
      [a, b].map((client) => client.locks.acquire('readers', { mode: 'read' })),
    );
    const requests = readers.map(asked);
    expect(await b.locks.requestRelease('readers', { reason: 'compaction' })).toBe(2);
    expect((await Promise.all(requests)).map(({ reason }) => reason)).toEqual(['compaction', 'compaction']);
    for (const reader of readers) await reader.release();
  });

  it('should count a holder of several permits once, and tell it once', async () => {
    const semaphore = a.locks.semaphore('permits', 3);
    const two = await semaphore.acquire({ permits: 2 });
    const one = await semaphore.acquire();
    const heard: string[] = [];
    const both = [two, one].map(
      (lock, at) =>
        new Promise((resolve) =>
          lock.on('release-requested', ({ reason }) => resolve(heard.push(`${at} ${reason}`))),
        ),
    );
    expect(await b.locks.requestRelease('permits', { reason: 'deploy' })).toBe(2);
    await Promise.all(both);
    expect(heard.sort()).toEqual(['0 deploy', '1 deploy']);
    await two.release();
    await one.release();
  });
});
