import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ReadWriteLock } from '../../lib/recipes/read-write-lock.js';
import { EACH_ITS_NODE, LockClient } from '../support/lock-client.js';
import { waitFor } from '../support/wait-for.js';
import { ZkAdmin } from '../support/zk-admin.js';
import { ZkProxy } from '../support/zk-proxy.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

describe('ReadWriteLock', () => {
  let server: ZooKeeperServer;
  let proxy: ZkProxy;
  let admin: ZkAdmin;
  let a: LockClient;
  let b: LockClient;
  let key: string;
  let count = 0;

  const queue = () => a.locks.contenders(key);
  const untilQueueIs = (length: number): Promise<unknown> =>
    waitFor(async () => (await queue()).length === length, { what: `${length} contenders of ${key}` });
  const of = (client: LockClient): ReadWriteLock => client.locks.readWriteLock(key);
  const pending = async (work: Promise<unknown>): Promise<boolean> =>
    (await Promise.race([work, new Promise((resolve) => setImmediate(() => resolve('pending')))])) ===
    'pending';

  beforeAll(async () => {
    server = await ZooKeeperServer.start();
    proxy = await ZkProxy.start(server);
    admin = await ZkAdmin.connect(server.connectString);
    a = await LockClient.open(server.connectString, EACH_ITS_NODE);
    b = await LockClient.open(proxy.connectString, { sessionTimeoutMs: 60_000, ...EACH_ITS_NODE });
  });
  afterAll(async () => {
    await a[Symbol.asyncDispose]();
    await b[Symbol.asyncDispose]();
    admin.close();
    await proxy[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    key = `rw-${(count += 1)}`;
  });
  afterEach(async () => {
    await waitFor(async () => (await queue()).length === 0, { what: 'no node left' });
    await waitFor(() => a.locks.stats().held + b.locks.stats().held === 0);
    expect([a.locks.stats().waiting, b.locks.stats().waiting]).toEqual([0, 0]);
  });

  it("should use the names of Curator's InterProcessReadWriteLock", async () => {
    const reader = await of(a).read.acquire();
    expect(await admin.children(`/locks/${key}`)).toEqual([
      expect.stringMatching(/^_c_[-0-9a-f]{36}-__READ__0000000000$/),
    ]);
    await reader.release();
    const writer = await of(a).write.acquire();
    expect(await admin.children(`/locks/${key}`)).toEqual([
      expect.stringMatching(/^_c_[-0-9a-f]{36}-__WRIT__0000000001$/),
    ]);
    expect([reader.mode, writer.mode]).toEqual(['read', 'write']);
    await writer.release();
  });

  it('should let readers in together, a writer alone, and each in its turn', async () => {
    const first = await of(a).read.acquire();
    const second = await of(b).read.acquire();
    const writing = of(a).write.acquire();
    await untilQueueIs(3);
    const late = of(b).read.acquire(); // behind the writer: writers do not starve
    await untilQueueIs(4);
    expect((await queue()).map(({ mode, state }) => `${mode} ${state}`)).toEqual([
      'read holding',
      'read holding',
      'write waiting',
      'read waiting',
    ]);
    await first.release();
    expect(await pending(writing)).toBe(true);
    await second.release();
    const writer = await writing;
    expect(await pending(late)).toBe(true);
    expect(await of(a).read.tryAcquire()).toBeNull();
    await writer.release();
    await (await late).release();
  });

  it('should let a reader watch only the closest writer before it, never one behind it (B21)', async () => {
    const holder = await of(a).write.acquire();
    const reader = of(a).read.acquire();
    await untilQueueIs(2);
    const second = of(a).write.acquire();
    await untilQueueIs(3);
    proxy.reset();
    const late = of(b).read.acquire();
    await untilQueueIs(4);
    const writer = of(a).write.acquire(); // behind all readers
    await untilQueueIs(5);
    await waitFor(() => proxy.count('getData') === 1 && proxy.requests.every(({ answer }) => answer));
    const [, , closest] = await queue();
    expect(proxy.requests.filter(({ watch }) => watch).map(({ path }) => path)).toEqual([closest!.path]);
    await holder.release();
    await (await reader).release(); // not held up by writers behind it
    await (await second).release();
    await (await late).release();
    await (await writer).release();
  });

  it('should give writers rising fencing tokens', async () => {
    const tokens: bigint[] = [];
    for (const client of [a, b, a]) {
      await of(client).write.withLock(({ fencingToken }) => void tokens.push(fencingToken));
      await of(client).read.withLock(() => undefined);
    }
    expect(tokens).toEqual([...new Set(tokens)].sort((x, y) => (x < y ? -1 : 1)));
  });

  it('should keep the place of a writer that goes on as a reader (B20)', async () => {
    let downgraded: () => void = () => undefined;
    const readOn = new Promise<void>((resolve) => (downgraded = resolve));
    let reading: Promise<string> = Promise.resolve('');
    await of(a).write.withLock(async (writer) => {
      reading = of(a).read.withLock(async (reader) => {
        expect(reader.fencingToken).toBe(writer.fencingToken);
        await readOn;
        expect(reader.isHeld()).toBe(true);
        return 'read';
      });
      await waitFor(() => true);
    });
    const next = of(b).write.acquire();
    await untilQueueIs(2);
    expect((await queue()).map(({ mode, state }) => `${mode} ${state}`)).toEqual([
      'write holding',
      'write waiting',
    ]);
    expect(await pending(next)).toBe(true); // the write lock was given back, its place was not
    downgraded();
    expect(await reading).toBe('read');
    await (await next).release();
  });

  it('should refuse the write lock inside the read lock at once (B22)', async () => {
    await of(a).read.withLock(async (reader) => {
      await expect(of(a).write.withLock(() => undefined)).rejects.toMatchObject({
        code: 'ZK_LOCK_UPGRADE',
        key,
      });
      expect(await queue()).toHaveLength(1);
      expect(reader.isHeld()).toBe(true);
      await of(a).read.withLock(() => undefined);
    });
  });

  it('should let readers inside one read hold run side by side, writers inside a write hold in turn', async () => {
    const run = async (side: 'read' | 'write'): Promise<number> => {
      let inside = 0;
      let most = 0;
      const branch = () =>
        of(a)[side].withLock(async () => {
          most = Math.max(most, (inside += 1));
          await new Promise((resolve) => setImmediate(resolve));
          inside -= 1;
        });
      await of(a)[side].withLock(() => Promise.all([branch(), branch(), branch()]));
      return most;
    };
    expect(await run('read')).toBe(3);
    expect(await run('write')).toBe(1);
  });

  it('should find out in one process at once that a key is used as two kinds of lock (B18)', async () => {
    const mutex = await a.locks.acquire(key);
    await expect(of(a).read.acquire()).rejects.toThrow(
      /used as mutex .* and as read-write lock at the same time/,
    );
    expect(await queue()).toHaveLength(1);
    await mutex.release();
    const reader = await of(a).read.acquire();
    await expect(a.locks.acquire(key)).rejects.toMatchObject({ code: 'ZK_LOCK_CONFIG' });
    await expect(b.locks.acquire(key)).rejects.toMatchObject({ code: 'ZK_LOCK_CONFIG' }); // by its nodes
    await reader.release();
    await waitFor(async () => (await queue()).length === 0);
  });

  it('should take modes as options, and mix them in a multi-lock, the stronger mode of one key winning (B26)', async () => {
    const reader = await a.locks.acquire(key, { mode: 'read' });
    expect(await b.locks.tryAcquire(key, { mode: 'write' })).toBeNull();
    const other = await b.locks.tryAcquire(key, { mode: 'read' });
    await other?.release();
    await reader.release();

    const both = await a.locks
      .multiLock([{ key, mode: 'read' }, `${key}-m`, { key, mode: 'write' }])
      .acquire();
    expect((await queue()).map(({ mode }) => mode)).toEqual(['write']);
    expect([...both.fencingTokens.keys()].sort()).toEqual([key, `${key}-m`]);
    expect(await b.locks.tryAcquire(key, { mode: 'read' })).toBeNull();
    await both.release();
    await expect(a.locks.withLock(key, () => undefined, { mode: 'both' as 'read' })).rejects.toMatchObject({
      code: 'ZK_LOCK_CONFIG',
    });
    expect(() => a.locks.multiLock([key, { key, mode: 'read' }])).toThrow(/one kind of lock per key/i);
  });
});
