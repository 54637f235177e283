import { setImmediate } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { waitFor } from './wait-for.js';
import { ZkAdmin } from './zk-admin.js';
import { ZkProxy } from './zk-proxy.js';
import { ZooKeeperServer } from './zookeeper-server.js';

const CONNECTION_LOSS = -4;
const SESSION_EXPIRED = -112;
const CONNECTED = 3;

describe('ZkProxy', () => {
  let server: ZooKeeperServer;
  let proxy: ZkProxy;
  let admin: ZkAdmin;
  let client: ZkAdmin;

  beforeAll(async () => {
    server = await ZooKeeperServer.start();
    admin = await ZkAdmin.connect(server.connectString);
  });
  afterAll(async () => {
    admin.close();
    await server[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    proxy = await ZkProxy.start(server);
    client = await ZkAdmin.connect(proxy.connectString);
    await admin.ensure('/p');
  });
  afterEach(async () => {
    client.close();
    await proxy[Symbol.asyncDispose]();
    await admin.deleteTree('/p');
  });

  const create = (path: string) =>
    new Promise<number>((resolve) => void client.raw.a_create(path, 'x', 0, resolve));
  const children = (path: string) =>
    new Promise<string[]>(
      (resolve) => void client.raw.a_get_children(path, false, (_rc, _text, names) => resolve(names)),
    );

  it('should log requests with their paths and answers', async () => {
    proxy.reset();
    await create('/p/a');
    await create('/p/a');
    expect(proxy.requests).toEqual([
      expect.objectContaining({
        op: 'create',
        path: '/p/a',
        connection: 1,
        answer: expect.objectContaining({ err: 0 }),
      }),
      expect.objectContaining({
        op: 'create',
        path: '/p/a',
        connection: 1,
        answer: expect.objectContaining({ err: -110 }),
      }),
    ]);
    expect(proxy.count('create', /^\/p\//)).toBe(2);
    expect(proxy.count('create', '/p/b')).toBe(0);
  });

  it('should tell a read that sets a watch from one that does not', async () => {
    client.raw.a_get('/p', true, () => undefined);
    await client.get('/p');
    const reads = proxy.requests.filter(({ op }) => op === 'getData');
    expect(reads.map(({ watch, path }) => [watch, path])).toEqual([
      [true, '/p'],
      [false, '/p'],
    ]);
  });

  it('should count requests that were sent together as one round trip', async () => {
    const together = await proxy.roundTrips(() => Promise.all([create('/p/a'), children('/p')]));
    expect(together).toBe(1);
    const apart = await proxy.roundTrips(async () => {
      await create('/p/b');
      await children('/p');
    });
    expect(apart).toBe(2);
    const created = await proxy.roundTrips(
      async () => {
        await create('/p/c');
        await children('/p');
      },
      ({ op }) => op === 'create',
    );
    expect(created).toBe(1);
  });

  it('should let the server do what the client does not learn of', async () => {
    const rule = proxy.on({ op: 'create', path: '/p/lost' }, 'drop-answer-and-cut');
    await expect(create('/p/lost')).resolves.toBe(CONNECTION_LOSS);
    await expect(rule.hit()).resolves.toMatchObject({ path: '/p/lost', answer: { err: 0 } });
    await expect(admin.exists('/p/lost')).resolves.toBe(true);

    await waitFor(() => client.raw.state === CONNECTED);
    expect(proxy.connectionCount).toBe(2);
    await expect(create('/p/found')).resolves.toBe(0);
  });

  it('should cut before the server sees a request', async () => {
    const rule = proxy.on({ op: 'create', path: /never$/ }, 'cut-before');
    await expect(create('/p/never')).resolves.toBe(CONNECTION_LOSS);
    expect(rule.hits).toBe(1);
    await expect(admin.exists('/p/never')).resolves.toBe(false);
  });

  it('should cut after the client got its answer', async () => {
    const rule = proxy.on({ op: 'create' }, 'cut-after-answer');
    await expect(create('/p/a')).resolves.toBe(0);
    await rule.hit();
    await waitFor(() => proxy.connectionCount === 2);
  });

  it('should hold an answer and all behind it until it is released', async () => {
    const rule = proxy.on({ op: 'create' }, 'hold-answer');
    const answers: string[] = [];
    const created = create('/p/a').then(() => answers.push('create'));
    const listed = children('/p').then(() => answers.push('list'));
    await rule.hit();
    await waitFor(() => proxy.requests.some(({ op, answer }) => op === 'getChildren' && answer));
    expect(answers).toEqual([]);
    rule.release();
    await Promise.all([created, listed]);
    expect(answers).toEqual(['create', 'list']);
  });

  it('should hold a request before the server until it is released', async () => {
    const rule = proxy.on({ op: 'create' }, 'hold-request');
    const created = create('/p/a');
    await rule.hit();
    await expect(admin.exists('/p/a')).resolves.toBe(false);
    rule.release();
    await expect(created).resolves.toBe(0);
  });

  it('should delay requests and answers', async () => {
    const answer = proxy.on({ op: 'create' }, { delayMs: 60 });
    const request = proxy.on({ op: 'create' }, { delayRequestMs: 60 });
    const before = performance.now();
    await create('/p/a');
    await create('/p/b');
    expect(performance.now() - before).toBeGreaterThanOrEqual(115);
    expect([answer.hits, request.hits]).toEqual([1, 1]);
  });

  it('should use a rule as often as it says', async () => {
    const rule = proxy.on({ op: 'create', times: 2 }, 'pass');
    for (const name of ['a', 'b', 'c']) await create(`/p/${name}`);
    await expect(rule.hit(2)).resolves.toMatchObject({ path: '/p/b' });
    expect(rule.hits).toBe(2);
    await expect(rule.hit(3, 20)).rejects.toThrow(/in vain for hit 3 of 'pass' on .*: 2 so far/);
  });

  it('should deliver after a partition what was sent during it', async () => {
    proxy.blackhole('to-client');
    const unheard = create('/p/unheard');
    await admin.waitForChildren('/p', 1);

    proxy.blackhole('to-server');
    const late = create('/p/late');
    await waitFor(() => proxy.count('create', '/p/late') === 1);
    await expect(admin.exists('/p/late')).resolves.toBe(false);

    proxy.heal();
    await expect(Promise.all([unheard, late])).resolves.toEqual([0, 0]);
    expect(proxy.connectionCount).toBe(1);
  });

  it('should keep new clients out during a partition', async () => {
    proxy.blackhole('both');
    proxy.cutAll();
    await waitFor(() => proxy.connectionCount > 1);
    expect(client.raw.state).not.toBe(CONNECTED);
    proxy.heal();
    await waitFor(() => client.raw.state === CONNECTED);
  });

  it('should refuse connections until it is told to accept them', async () => {
    proxy.refuse();
    proxy.cutAll();
    await expect(create('/p/a')).resolves.toBe(CONNECTION_LOSS);
    expect(proxy.connectionCount).toBe(1);
    proxy.accept();
    await waitFor(() => client.raw.state === CONNECTED);
    expect(proxy.connectionCount).toBe(2);
  });

  it('should carry frames that are larger than a socket takes at once', async () => {
    const data = 'z'.repeat(900_000);
    await client.create('/p/large', data);
    const reads = Array.from({ length: 20 }, () => client.get('/p/large'));
    for (const read of await Promise.all(reads)) expect(read.data.length).toBe(data.length);
  });

  it('should expire a session: its nodes go, its owner is told', async () => {
    await client.create('/p/mine', '', 'ephemeral');
    expect(proxy.sessions).toEqual([
      { sessionId: client.raw.client_id, password: client.raw.client_password.toLowerCase() },
    ]);
    let closeCode: number | undefined;
    client.raw.once('close', (_client, code: number) => (closeCode = code));

    await proxy.expireSessions();

    await expect(admin.exists('/p/mine')).resolves.toBe(false);
    await waitFor(() => closeCode === SESSION_EXPIRED);
  });

  it('should give its times by the clock of the test', async () => {
    const before = performance.now();
    await create('/p/a');
    const { at, answer } = proxy.requests.find(({ op }) => op === 'create')!;
    expect([before, at, answer!.at, performance.now()].toSorted((a, b) => a - b)).toEqual([
      before,
      at,
      answer!.at,
      expect.any(Number),
    ]);
  });

  it('should carry the answer to a close, for which the client blocks its thread', async () => {
    const other = await ZkAdmin.connect(proxy.connectString);
    const closed = proxy.on({ op: 'closeSession' }, 'pass');
    await setImmediate(); // within a callback of the client, a close would be put off
    other.close();
    expect(closed.hits).toBe(1);
  });
});
