import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { LockClient } from '../support/lock-client.js';
import { waitFor } from '../support/wait-for.js';
import { ZkAdmin } from '../support/zk-admin.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

/** An async function where a plain one is expected, as users write it. */
const rejecting = (): unknown => Promise.reject(new Error('thrown later'));

describe('Leader election: waits that must end', () => {
  let server: ZooKeeperServer;
  let admin: ZkAdmin;
  let a: LockClient;
  let b: LockClient;

  const candidates = (key: string, size: number): Promise<unknown> =>
    waitFor(async () => (await admin.children(`/locks/${key}`)).length === size);

  beforeAll(async () => {
    server = await ZooKeeperServer.start();
    admin = await ZkAdmin.connect(server.connectString);
  });
  afterAll(async () => {
    admin.close();
    await server[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    a = await LockClient.open(server.connectString, { attemptMs: 20_000 });
    b = await LockClient.open(server.connectString);
  });
  afterEach(async () => {
    await a[Symbol.asyncDispose]();
    await b[Symbol.asyncDispose]();
  });

  it('should make nobody a leader once the shutdown has begun', async () => {
    const leads = b.locks.leaderElection('down');
    leads.start();
    await leads.waitForLeadership();
    const waits = a.locks.leaderElection('down');
    const led: unknown[] = [];
    waits.on('leader', (lock) => led.push(lock));
    waits.start();
    const waiting = waits.waitForLeadership().catch((error: unknown) => error);
    await candidates('down', 2);
    await a.manager.beginShutdown(500);
    expect(await waiting).toMatchObject({ code: 'ZK_LOCK_SHUTDOWN' });
    await candidates('down', 1);
    await leads.close();
    const late = a.locks.leaderElection('down');
    late.on('leader', (lock) => led.push(lock));
    late.start();
    await late.close();
    expect(led).toEqual([]);
    await candidates('down', 0);
  });

  it('should run nothing under a leadership that comes after the shutdown has begun', async () => {
    const ran: string[] = [];
    let finish: () => void = () => undefined;
    const first = a.locks
      .leaderElection('runs')
      .run(() => new Promise<void>((resolve) => (finish = resolve)));
    await candidates('runs', 1);
    const second = a.locks.leaderElection('runs').run(() => ran.push('second'));
    second.catch(() => undefined);
    await candidates('runs', 2);
    await a.manager.beginShutdown(500);
    finish();
    await first;
    await expect(second).rejects.toMatchObject({ code: 'ZK_LOCK_SHUTDOWN' });
    const late = a.locks.leaderElection('free').run(() => ran.push('late'));
    await expect(late).rejects.toMatchObject({ code: 'ZK_LOCK_SHUTDOWN' });
    expect(ran).toEqual([]);
  });

  it('should refuse a run inside the lock of its own key at once', async () => {
    const election = () => a.locks.leaderElection('self');
    const refused = { code: 'ZK_LOCK_CONFIG', message: expect.stringMatching(/wait for itself/) };
    await a.locks.withLock('self', async () => {
      await expect(election().run(() => 'ran')).rejects.toMatchObject(refused);
    });
    await election().run(async () => {
      await expect(election().run(() => 'ran', { requeue: true })).rejects.toMatchObject(refused);
    });
    expect(await election().run(() => 'ran')).toBe('ran');
  });

  it('should tell whoever does not want to wait for leadership at once', async () => {
    const leads = b.locks.leaderElection('taken');
    leads.start();
    await leads.waitForLeadership();
    const election = a.locks.leaderElection('taken');
    election.start();
    const before = performance.now();
    // a's attemptMs is 20 s.
    await expect(election.waitForLeadership({ waitMs: 0 })).rejects.toMatchObject({
      code: 'ZK_LOCK_TIMEOUT',
      holder: expect.stringContaining(`pid ${process.pid}`),
    });
    expect(performance.now() - before).toBeLessThan(10_000);
    await leads.close();
    await election.waitForLeadership();
    expect((await election.waitForLeadership({ waitMs: 0 })).isHeld()).toBe(true);
    await election.close();
    const free = a.locks.leaderElection('free-at-once');
    free.start();
    expect((await free.waitForLeadership({ waitMs: 0 })).isHeld()).toBe(true);
    await free.close();
  });

  it('should log what a listener rejects with', async () => {
    const election = a.locks.leaderElection('listeners');
    election.on('leader', rejecting);
    election.start();
    await waitFor(() => a.lines.some((line) => line.includes('thrown later')));
    await election.close();
  });
});
