import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { LeaderElectionOptions } from '../../lib/recipes/leader-candidate.js';
import type { LeaderElection } from '../../lib/recipes/leader-election.js';
import { LockClient } from '../support/lock-client.js';
import { waitFor } from '../support/wait-for.js';
import { ZkAdmin } from '../support/zk-admin.js';
import { ZkProxy } from '../support/zk-proxy.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

describe('LeaderElection (latch)', () => {
  let server: ZooKeeperServer;
  let proxy: ZkProxy;
  let admin: ZkAdmin;
  let a: LockClient;
  let b: LockClient;
  let key: string;
  let count = 0;
  let elections: LeaderElection[];
  let told: string[];

  /** A candidate whose events are written down. */
  const candidate = (client: LockClient, name: string, options?: LeaderElectionOptions): LeaderElection => {
    const election = client.locks.leaderElection(key, options);
    election.on('leader', () => {
      told.push(`${name} leads`);
      if (elections.filter((one) => one.isLeader()).length !== 1) told.push('there are two leaders');
    });
    election.on('notLeader', (error) => void told.push(`${name} ${error?.reason ?? 'gave up'}`));
    elections.push(election);
    return election;
  };
  const start = (client: LockClient, name: string, options?: LeaderElectionOptions): LeaderElection => {
    const election = candidate(client, name, options);
    election.start();
    return election;
  };
  /** One after the other, so that the order is known. */
  const startInTurn = async (...names: [client: LockClient, name: string][]): Promise<LeaderElection[]> => {
    const started: LeaderElection[] = [];
    for (const [client, name] of names) {
      started.push(start(client, name));
      await untilQueueIs(started.length);
    }
    return started;
  };
  const nodes = () => admin.children(`/locks/${key}`);
  const untilQueueIs = (length: number) => admin.waitForChildren(`/locks/${key}`, length);

  beforeAll(async () => {
    server = await ZooKeeperServer.start();
    proxy = await ZkProxy.start(server);
    admin = await ZkAdmin.connect(server.connectString);
    a = await LockClient.open(server.connectString, { sessionTimeoutMs: 30_000 });
    b = await LockClient.open(proxy.connectString, { sessionTimeoutMs: 10_000 });
  });
  afterAll(async () => {
    await a[Symbol.asyncDispose]();
    await b[Symbol.asyncDispose]();
    admin.close();
    await proxy[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    key = `election-${(count += 1)}`;
    elections = [];
    told = [];
  });
  afterEach(async () => {
    await Promise.all(elections.map((election) => election.close()));
    await untilQueueIs(0);
    await waitFor(() => a.locks.stats().held + b.locks.stats().held === 0);
  });

  it("should use the names of Curator's LeaderLatch, and tell who takes part", async () => {
    const [first, second] = await startInTurn([a, 'first'], [b, 'second']);
    await first!.waitForLeadership();
    expect(await nodes()).toEqual([
      expect.stringMatching(/^_c_[-0-9a-f]{36}-latch-000000000[01]$/),
      expect.stringMatching(/^_c_[-0-9a-f]{36}-latch-000000000[01]$/),
    ]);
    const who = { host: expect.any(String), pid: process.pid, mode: 'leader' };
    expect(await second!.participants()).toMatchObject([
      { ...who, state: 'holding', mine: false },
      { ...who, state: 'waiting', mine: true },
    ]);
    expect(await second!.leader()).toMatchObject({
      state: 'holding',
      mine: false,
      instance: a.manager.instance,
    });
    expect(await a.locks.leaderElection(`${key}-nobody`).leader()).toBeUndefined();
  });

  it('should have one leader at a time, the next one at each close, in order and with rising tokens', async () => {
    const three = await startInTurn([a, 'a'], [b, 'b'], [a, 'c']);
    const tokens: bigint[] = [];
    for (const election of three) {
      const lock = await election.waitForLeadership();
      expect(lock).toBe(election.current());
      expect(three.filter((one) => one.isLeader())).toEqual([election]);
      expect({ mode: lock.mode, key: lock.key, held: lock.isHeld() }).toEqual({
        mode: 'leader',
        key,
        held: true,
      });
      tokens.push(lock.fencingToken);
      await election.close();
      expect([election.isLeader(), lock.state, lock.signal.aborted]).toEqual([false, 'released', false]);
    }
    expect(tokens).toEqual([...new Set(tokens)].sort((x, y) => (x < y ? -1 : 1)));
    expect(told).toEqual(['a leads', 'a gave up', 'b leads', 'b gave up', 'c leads', 'c gave up']);
  });

  it('should lead again after the session of the leader has expired', async () => {
    const [first, second] = await startInTurn([b, 'b'], [a, 'a']);
    const lock = await first!.waitForLeadership();
    await proxy.expireSessions();
    await second!.waitForLeadership();
    await waitFor(() => lock.signal.aborted);
    expect(lock.state).toBe('lost');
    expect(first!.isLeader()).toBe(false);
    await untilQueueIs(2); // it takes part again by itself
    await second!.close();
    const again = await first!.waitForLeadership();
    expect(again.fencingToken > lock.fencingToken).toBe(true);
    expect(told.filter((line) => line.startsWith('b'))).toEqual(['b leads', `b ${lossOf(lock)}`, 'b leads']);
  });

  it('should have one leader at any time while leadership goes round', async () => {
    const three = await startInTurn([a, 'a'], [b, 'b'], [a, 'c']);
    let turns = 0;
    for (const election of three) {
      election.on('leader', (lock) => {
        if ((turns += 1) < 30) void lock.release();
      });
    }
    await (await waitFor(() => three.find((one) => one.isLeader()))).current()?.release(); // it led before it was asked to
    await waitFor(() => turns >= 30 && three.some((one) => one.isLeader()));
    expect(told).not.toContain('there are two leaders');
    expect(new Set(told)).toEqual(
      new Set(['a', 'b', 'c'].flatMap((name) => [`${name} leads`, `${name} gave up`])),
    );
  });

  it('should take part again when somebody removed its node, as the leader and while it waits', async () => {
    const [first, second] = await startInTurn([a, 'a'], [b, 'b']);
    await first!.waitForLeadership();
    const [leader] = await second!.participants();
    await admin.delete(leader!.path);
    await second!.waitForLeadership();
    await waitFor(() => told.includes('a node-removed'));
    await untilQueueIs(2);
    const waiting = (await second!.participants())[1]!;
    await admin.delete(waiting.path);
    await admin.waitForChildren(
      `/locks/${key}`,
      (names) => names.length === 2 && !names.includes(nameOf(waiting)),
    );
    await second!.close();
    await first!.waitForLeadership();
  });

  it('should take part again at the end of the queue when the leader gives its lock back', async () => {
    const [first, second] = await startInTurn([a, 'a'], [b, 'b']);
    await (await first!.waitForLeadership()).release();
    await second!.waitForLeadership();
    await untilQueueIs(2);
    await second!.close();
    await first!.waitForLeadership();
    expect(told).toEqual(['a leads', 'a gave up', 'b leads', 'b gave up', 'a leads']);
  });

  it('should leave no node when it is closed while it waits, or right after the start', async () => {
    const [first, second] = await startInTurn([a, 'a'], [b, 'b']);
    await first!.waitForLeadership();
    const waiting = second!.waitForLeadership().catch((error: unknown) => error);
    await second!.close();
    expect(await waiting).toMatchObject({ code: 'ZK_LOCK_ABORTED', key });
    await untilQueueIs(1);
    await start(b, 'hasty').close();
    await untilQueueIs(1);
    expect(told).toEqual(['a leads']);
    await expect(second!.waitForLeadership()).rejects.toMatchObject({ code: 'ZK_LOCK_ABORTED' });
    expect(() => second!.start()).toThrow(/was closed/);
    expect(() => first!.start()).toThrow(/takes part already/);
    await second!.close();
  });

  it('should say who leads when leadership is waited for in vain, and go on taking part', async () => {
    const [first, second] = await startInTurn([a, 'a'], [b, 'b']);
    await first!.waitForLeadership();
    const error = await second!.waitForLeadership({ waitMs: 100 }).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'ZK_LOCK_TIMEOUT', key, queueLength: 2 });
    expect((error as Error).message).toContain(`pid ${process.pid} leads since`);
    const gone = new AbortController();
    const waiting = second!.waitForLeadership({ signal: gone.signal });
    gone.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'ZK_LOCK_ABORTED' });
    expect(await nodes()).toHaveLength(2);
  });

  it('should keep leadership while the connection is suspended, until the lease deadline', async () => {
    const election = start(b, 'b');
    const lock = await election.waitForLeadership();
    const ledWhenSuspended = new Promise((resolve) => {
      b.connection.on('state', ({ event }) => event === 'suspended' && resolve(election.isLeader()));
    });
    proxy.cutAll();
    expect(await ledWhenSuspended).toBe(true);
    await b.connection.connected(10_000);
    expect([election.isLeader(), lock.state]).toEqual([true, 'held']);
    const next = start(a, 'a');
    await untilQueueIs(2);
    proxy.blackhole('both');
    await waitFor(() => lock.signal.aborted);
    expect(election.isLeader()).toBe(false);
    expect(next.isLeader()).toBe(false); // two thirds of the session timeout: the ensemble still waits for it
    proxy.heal();
    await next.waitForLeadership();
    expect(told).toEqual(['b leads', 'b lease-expired', 'a leads']);
  });

  it('should step down as soon as the connection is suspended (onSuspended: step-down)', async () => {
    const election = start(b, 'b', { onSuspended: 'step-down' });
    const lock = await election.waitForLeadership();
    const next = start(a, 'a');
    await untilQueueIs(2);
    proxy.refuse();
    proxy.cutAll();
    await waitFor(() => told.includes('b lease-expired'));
    expect(b.connection.state).toBe('suspended');
    expect([election.isLeader(), lock.isHeld(), lock.state, next.isLeader()]).toEqual([
      false,
      false,
      'lost',
      false,
    ]);
    expect((lock.signal.reason as Error).message).toContain('onSuspended: step-down');
    proxy.accept();
    await next.waitForLeadership(); // the node goes as soon as the connection is back
    await untilQueueIs(2);
    await next.close();
    await election.waitForLeadership();
    expect(told).toEqual(['b leads', 'b lease-expired', 'a leads', 'a gave up', 'b leads']);
  });

  it('should log once what keeps it from taking part, tell those who wait, and try on', async () => {
    const mutex = await a.locks.acquire(key);
    const election = start(b, 'b');
    await expect(election.waitForLeadership()).rejects.toMatchObject({ code: 'ZK_LOCK_CONFIG' });
    await expect(election.waitForLeadership()).rejects.toThrow(/another kind of lock/);
    await mutex.release();
    await waitFor(() => election.isLeader());
    expect(b.lines.filter((line) => line.includes(`election "${key}"`))).toHaveLength(1);
  });

  it('should survive a listener that throws, and forget one that was taken away', async () => {
    const election = candidate(a, 'a');
    election.on('leader', () => {
      throw new Error('careless');
    });
    const forgotten: unknown[] = [];
    election.on('leader', (lock) => void forgotten.push(lock))();
    election.start();
    await election.waitForLeadership();
    expect(forgotten).toEqual([]);
    expect(a.lines.at(-1)).toContain('careless');
  });

  it('should end with its connection, and let the next one lead at once', async () => {
    const c = await LockClient.open(server.connectString, { sessionTimeoutMs: 60_000 });
    const d = await LockClient.open(server.connectString, { sessionTimeoutMs: 60_000 });
    const [leading, waiting, next] = await startInTurn([c, 'c'], [d, 'd'], [a, 'a']);
    await leading!.waitForLeadership();
    await d.manager.beginShutdown(20_000); // a candidate is no call that has to be waited for
    await d[Symbol.asyncDispose]();
    await c[Symbol.asyncDispose]();
    await next!.waitForLeadership();
    await waiting!.close();
    await leading!.close();
    expect(told).toEqual(['c leads', 'c shutdown', 'a leads']);
    expect(await nodes()).toHaveLength(1);
  });
});

const nameOf = ({ path }: { path: string }): string => path.slice(path.lastIndexOf('/') + 1);
const lossOf = ({ signal }: { signal: AbortSignal }): string => (signal.reason as { reason: string }).reason;
