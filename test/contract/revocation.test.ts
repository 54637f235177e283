import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ReleaseRequest } from '../../lib/recipes/release-request.js';
import type { HeldLock } from '../../lib/recipes/held-lock.js';
import { LockClient } from '../support/lock-client.js';
import { waitFor } from '../support/wait-for.js';
import { ZkAdmin } from '../support/zk-admin.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

/** An async function where a plain one is expected, as users write it. */
const rejecting = (): unknown => Promise.reject(new Error('thrown later'));

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

  it('should believe nothing of a record but who wrote it', async () => {
    await admin.create('/precious', 'precious');
    await admin.ensure('/locks/liar');
    const lies = {
      ...{ v: 1, host: 'h', pid: 1, instance: 5, purpose: {}, metadata: 'm', since: 5, entry: {} },
      ...{ path: '/precious', state: 'holding', position: -7, mine: true, mode: 'read', sessionId: '0xdead' },
    };
    const first = await admin.create('/locks/liar/x-lock-', '', 'ephemeral-sequential');
    const node = await admin.create('/locks/liar/x-lock-', JSON.stringify(lies), 'ephemeral-sequential');
    const [, contender] = await b.locks.contenders('liar');
    expect(contender).toEqual({
      position: 2,
      state: 'waiting',
      mode: 'exclusive',
      since: expect.anything(),
      sequence: 1,
      sessionId: expect.stringMatching(/^0x[0-9a-f]{6,}$/),
      path: node,
      mine: false,
      host: 'h',
      pid: 1,
    });
    await admin.delete(first);
    expect(await b.locks.requestRelease('liar')).toBe(1);
    expect((await admin.get('/precious')).data).toBe('precious');
    expect(JSON.parse((await admin.get(node)).data)).toMatchObject({ ...lies, release: {} });
    await admin.delete(node);
  });

  it.each([['x'.repeat(1_025)], ['ü'.repeat(513)], [5], [1n], [{ a: 1 }], [null], [() => 1]])(
    'should refuse a reason that is no short string',
    async (reason) => {
      const asking = b.locks.requestRelease('reason', { reason: reason as string });
      await expect(asking).rejects.toMatchObject({
        code: 'ZK_LOCK_CONFIG',
        message: expect.stringMatching(/^Option "reason" (is|has) .*(string|1024)/),
      });
    },
  );

  it('should hand on no reason that is none, and log what a listener throws, at once or later', async () => {
    const lock = await a.locks.acquire('odd');
    const [holder] = await b.locks.contenders('odd');
    const heard: ReleaseRequest[] = [];
    lock.on('release-requested', rejecting);
    lock.on('release-requested', () => {
      throw new Error('thrown at once');
    });
    lock.on('release-requested', (request) => heard.push(request));
    const record = JSON.parse((await admin.get(holder!.path)).data) as object;
    for (const release of [null, 'text', { reason: 5, by: {} }]) {
      await admin.set(holder!.path, JSON.stringify({ ...record, release }));
    }
    await waitFor(() => heard.length === 1);
    expect(heard).toEqual([{}]);
    await waitFor(() => a.lines.filter((line) => line.includes('A listener threw')).length === 2);
    expect(a.lines.join()).toMatch(/thrown at once[^]*thrown later/);
    await lock.release();
  });
});
