import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { HeldLock } from '../../lib/recipes/held-lock.js';
import { currentLock } from '../../lib/recipes/lock-context.js';
import { LockClient } from '../support/lock-client.js';
import { waitFor } from '../support/wait-for.js';
import { ZkAdmin } from '../support/zk-admin.js';
import { ZkProxy } from '../support/zk-proxy.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

/** Resolves when the leadership is lost, as a well-behaved leader does. */
const untilLost = ({ signal }: HeldLock): Promise<void> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve());
  });

describe('LeaderElection (selector)', () => {
  let server: ZooKeeperServer;
  let proxy: ZkProxy;
  let admin: ZkAdmin;
  let a: LockClient;
  let b: LockClient;
  let key: string;
  let count = 0;

  const untilQueueIs = (length: number) => admin.waitForChildren(`/locks/${key}`, length);
  const of = (client: LockClient) => client.locks.leaderElection(key);

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
    key = `selector-${(count += 1)}`;
  });
  afterEach(async () => {
    await untilQueueIs(0);
    await waitFor(() => a.locks.stats().held === 0);
    expect(a.locks.stats().waiting).toBe(0);
    await waitFor(() => b.locks.stats().held === 0);
    expect(b.locks.stats().waiting).toBe(0);
  });

  it("should lead while fn runs, on the nodes of Curator's LeaderSelector, and give its result", async () => {
    const election = of(a);
    const told: string[] = [];
    election.on('leader', () => void told.push('leads'));
    election.on('notLeader', (error) => void told.push(error?.reason ?? 'gave up'));
    const result = await election.run(async (lock) => {
      expect(await admin.children(`/locks/${key}`)).toEqual([
        expect.stringMatching(/^_c_[-0-9a-f]{36}-lock-0000000000$/),
      ]);
      expect([election.isLeader(), election.current(), currentLock(key)]).toEqual([true, lock, lock]);
      expect(() => election.start()).toThrow(/takes part already/);
      return lock.mode;
    });
    expect([result, election.isLeader()]).toEqual(['leader', false]);
    expect(told).toEqual(['leads', 'gave up']);
    expect(await election.run(() => 'again')).toBe('again');
    await expect(
      election.run(() => {
        throw new Error('own');
      }),
    ).rejects.toThrow('own');
  });

  it('should exclude each other and a mutex of the same key', async () => {
    let inside = 0;
    let most = 0;
    const section = async (): Promise<void> => {
      most = Math.max(most, (inside += 1));
      await new Promise((resolve) => setImmediate(resolve));
      inside -= 1;
    };
    await Promise.all(
      [a, b, a, b].flatMap((client) => [of(client).run(section), client.locks.withLock(key, section)]),
    );
    expect(most).toBe(1);
  });

  it('should take turns with requeue, until the signal aborts', async () => {
    const stop = new AbortController();
    const order: string[] = [];
    const turn = (name: string) => (): void => {
      order.push(name);
      if (order.length === 6) stop.abort();
    };
    await Promise.all([
      of(a).run(turn('a'), { requeue: true, signal: stop.signal }),
      of(b).run(turn('b'), { requeue: true, signal: stop.signal }),
    ]);
    expect(order.length).toBeGreaterThanOrEqual(6);
    expect(new Set(order)).toEqual(new Set(['a', 'b']));
  });

  it('should end a requeue with the error of fn', async () => {
    let rounds = 0;
    const running = of(a).run(
      () => {
        rounds += 1;
        if (rounds === 3) throw new Error('own');
      },
      { requeue: true },
    );
    await expect(running).rejects.toThrow('own');
    expect(rounds).toBe(3);
  });

  it('should throw a loss, or lead again with requeue', async () => {
    const once = of(b).run(untilLost);
    await untilQueueIs(1);
    await waitFor(() => b.locks.stats().held === 1);
    await proxy.expireSessions();
    await expect(once).rejects.toMatchObject({ code: 'ZK_LOCK_LOST' });

    const stop = new AbortController();
    const tokens: bigint[] = [];
    const again = of(b).run(
      async (lock) => {
        tokens.push(lock.fencingToken);
        await untilLost(lock);
        throw new Error('interrupted');
      },
      { requeue: true, signal: stop.signal },
    );
    await waitFor(() => tokens.length === 1);
    await proxy.expireSessions();
    await waitFor(() => tokens.length === 2);
    stop.abort();
    await again;
    expect(tokens[1]! > tokens[0]!).toBe(true);
    expect(b.lines.filter((line) => line.includes('interrupted'))).toHaveLength(1); // at the end it was asked for
  });

  it('should end leadership when the connection is suspended, if told so (onSuspended: step-down)', async () => {
    const election = b.locks.leaderElection(key, { onSuspended: 'step-down' });
    const running = election.run(untilLost).catch((error: unknown) => error);
    await waitFor(() => election.isLeader());
    proxy.cutAll();
    expect(await running).toMatchObject({ code: 'ZK_LOCK_LOST', reason: 'lease-expired' });
  });

  it('should tell fn of a close, and let nobody lead beside it until it has ended', async () => {
    const election = of(a);
    let ended: () => void = () => undefined;
    const end = new Promise<void>((resolve) => (ended = resolve));
    let signal: AbortSignal | undefined;
    const running = election.run((lock) => ((signal = lock.signal), end)).catch((error: unknown) => error);
    await waitFor(() => election.isLeader());
    const next = of(b).run(() => 'next');
    await untilQueueIs(2);
    await election.close();
    expect([election.isLeader(), signal?.aborted]).toEqual([false, true]);
    expect(await admin.children(`/locks/${key}`)).toHaveLength(2);
    ended();
    expect(await running).toMatchObject({ code: 'ZK_LOCK_LOST', reason: 'shutdown' });
    expect(await next).toBe('next');
    await expect(election.run(() => undefined)).rejects.toThrow(/was closed/);
  });

  it('should leave no node when it is closed or aborted while it waits', async () => {
    const busy = await a.locks.acquire(key);
    const closing = of(b);
    const stop = new AbortController();
    const calls = [
      closing.run(() => 'never').catch((error: unknown) => error),
      of(a)
        .run(() => 'never', { signal: stop.signal })
        .catch((error: unknown) => error),
    ];
    await untilQueueIs(3);
    await closing.close();
    stop.abort();
    expect(await Promise.all(calls)).toMatchObject([
      { code: 'ZK_LOCK_ABORTED' },
      { code: 'ZK_LOCK_ABORTED' },
    ]);
    await untilQueueIs(1);
    await busy.release();
  });
});
