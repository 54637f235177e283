import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { LockClient } from '../support/lock-client.js';
import { waitFor } from '../support/wait-for.js';
import { ZkAdmin } from '../support/zk-admin.js';
import { ZkProxy } from '../support/zk-proxy.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

/** What an untyped or hasty caller may do to an election. */
describe('LeaderElection that is used wrongly', () => {
  let server: ZooKeeperServer;
  let proxy: ZkProxy;
  let admin: ZkAdmin;
  let a: LockClient;
  let b: LockClient;
  let key: string;
  let count = 0;

  const candidate = (client: LockClient) => client.locks.leaderElection(key);

  beforeAll(async () => {
    server = await ZooKeeperServer.start();
    proxy = await ZkProxy.start(server);
    admin = await ZkAdmin.connect(server.connectString);
    a = await LockClient.open(server.connectString);
    b = await LockClient.open(proxy.connectString);
  });
  afterAll(async () => {
    await a[Symbol.asyncDispose]();
    await b[Symbol.asyncDispose]();
    admin.close();
    await proxy[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    key = `misused-${(count += 1)}`;
  });
  afterEach(() => admin.waitForChildren(`/locks/${key}`, 0));

  it('should say that it takes no part when leadership is waited for without a start', async () => {
    const never = candidate(a);
    await expect(never.waitForLeadership({ waitMs: 50 })).rejects.toMatchObject({
      code: 'ZK_LOCK_TIMEOUT',
      message: /takes no part: neither start\(\) nor run\(fn\) was called/,
    });
    expect(await admin.children(`/locks/${key}`)).toEqual([]);
    const early = never.waitForLeadership();
    never.start(); // whoever waits may have come first
    expect((await early).isHeld()).toBe(true);
    await never.close();

    proxy.refuse();
    proxy.cutAll();
    await waitFor(() => b.connection.state !== 'connected');
    const cut = candidate(b).waitForLeadership({ waitMs: 50 });
    await expect(cut).rejects.toMatchObject({ code: 'ZK_LOCK_CONNECTION', message: /takes no part/ });
    proxy.accept();
    await b.connection.connected(10_000);
  });

  it('should name both ways of a key that is a latch and a selector, or a mutex, at once', async () => {
    await using latch = candidate(a);
    latch.start();
    await latch.waitForLeadership();
    const both = new RegExp(
      `"${key}" is used as leader latch \\(leader election by start\\(\\) or @LeaderOnly\\) and as mutex \\(or leader election by run\\(\\)`,
    );
    await expect(candidate(a).run(() => undefined)).rejects.toThrow(both);
    await expect(a.locks.acquire(key)).rejects.toThrow(both);
    await expect(a.locks.acquire(key, { permits: 1 })).rejects.toThrow(/and as semaphore at the same time/);
  });

  const caught = async (call: () => unknown): Promise<unknown> => {
    try {
      return await call();
    } catch (error) {
      return error;
    }
  };
  const refused = (message: RegExp) =>
    expect.objectContaining({ code: 'ZK_LOCK_CONFIG', message: expect.stringMatching(message) });
  type Case = [given: unknown, message: RegExp];

  it.each<Case>([
    [null, /^options is null\. Expected an object/],
    [3, /options is 3/],
    [[], /options is \[\]/],
    ['keep', /options is 'keep'/],
    [{ waitMs: 3 }, /There is no option "waitMs"/],
    [{ onSuspend: 'keep' }, /"onSuspend"\. Did you mean "onSuspended"\?/],
    [{ onSuspended: 'panic' }, /"onSuspended" is 'panic'; allowed are 'keep' and 'step-down'/],
    [{ onSuspended: null }, /"onSuspended" is null; allowed/],
    [{ metadata: 'x' }, /"metadata" is 'x'; allowed are objects/],
    [{ metadata: [] }, /"metadata" is \[\]; allowed/],
    [{ purpose: 5 }, /"purpose" is 5; allowed are strings/],
  ])('should refuse the options %p', async (options, message) => {
    expect(await caught(() => a.locks.leaderElection(key, options as never))).toEqual(refused(message));
  });

  it.each<Case>([
    [null, /^options is null/],
    [{ waitMs: 3 }, /There is no option "waitMs"\. Known: requeue, signal/],
    [{ requeue: 'yes' }, /"requeue" is 'yes'; allowed are true and false/],
    [{ signal: 3 }, /"signal" is 3; allowed are AbortSignals/],
    [{ signal: new AbortController() }, /"signal" is AbortController/],
  ])('should refuse to run with the options %p', async (options, message) => {
    const election = candidate(a);
    expect(await caught(() => election.run(() => 'ran', options as never))).toEqual(refused(message));
    expect(await election.run(() => 'ran')).toBe('ran'); // not used up
  });

  it.each<Case>([
    [undefined, /fn is undefined\. Expected a function/],
    [null, /fn is null/],
    [{ requeue: true }, /fn is \{ requeue: true \}/],
  ])('should refuse to run %p', async (fn, message) => {
    expect(await caught(() => candidate(a).run(fn as never))).toEqual(refused(message));
  });

  it.each<Case>([
    [null, /^options is null/],
    [{ waitMs: '3' }, /"waitMs" is '3'; allowed are integers from 0 to 2147483647 \(milliseconds\)/],
    [{ waitMs: -1 }, /"waitMs" is -1/],
    [{ timeoutMs: 3 }, /There is no option "timeoutMs"/],
    [{ permits: 3 }, /There is no option "permits"/],
    [{ signal: true }, /"signal" is true/],
  ])('should refuse to wait with the options %p', async (options, message) => {
    expect(await caught(() => candidate(a).waitForLeadership(options as never))).toEqual(refused(message));
  });

  it.each<[event: unknown, listener: unknown, message: RegExp]>([
    ['lost', () => undefined, /no event 'lost'\. Known: "leader", "notLeader"/],
    ['toString', () => undefined, /no event 'toString'/],
    [null, () => undefined, /no event null/],
    ['leader', undefined, /The listener of "leader" is undefined\. Expected a function/],
    ['notLeader', {}, /is \{\}\. Expected a function/],
  ])('should refuse to tell of %p to %p', async (event, listener, message) => {
    expect(await caught(() => a.locks.leaderElection(key).on(event as never, listener as never))).toEqual(
      refused(message),
    );
  });

  it('should refuse an empty key', () => {
    expect(() => a.locks.leaderElection('')).toThrow(/empty/);
  });
});
