import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { currentLock } from '../../lib/recipes/lock-context.js';
import { waitFor } from '../support/wait-for.js';
import { LockClient } from '../support/lock-client.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('Reentrancy', () => {
  let server: ZooKeeperServer;
  let a: LockClient;
  let key: string;
  let count = 0;

  beforeAll(async () => {
    server = await ZooKeeperServer.start();
    a = await LockClient.open(server.connectString);
  });
  afterAll(async () => {
    await a[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    key = `reentrant-${(count += 1)}`;
  });
  afterEach(async () => {
    expect(await a.locks.contenders(key)).toEqual([]);
    await waitFor(() => a.locks.stats().held === 0);
    expect(a.locks.stats().waiting).toBe(0);
  });

  it('should enter its own lock again, on the same node and with the same token', async () => {
    await a.locks.withLock(key, async (outer) => {
      await a.locks.withLock(key, async (inner) => {
        expect(inner.fencingToken).toBe(outer.fencingToken);
        expect(await a.locks.contenders(key)).toHaveLength(1);
      });
      expect(outer.isHeld()).toBe(true);
      expect(await a.locks.contenders(key)).toHaveLength(1);
    });
  });

  it('should let siblings inside one hold in one at a time, in order (B35)', async () => {
    const steps: string[] = [];
    await a.locks.withLock(key, () =>
      Promise.all(
        ['x', 'y', 'z'].map((name) =>
          a.locks.withLock(key, async () => {
            steps.push(`${name}+`);
            await turn();
            steps.push(`${name}-`);
          }),
        ),
      ),
    );
    expect(steps).toEqual(['x+', 'x-', 'y+', 'y-', 'z+', 'z-']);
  });

  it('should keep a sibling out while a grandchild that nobody awaited still runs (B35)', async () => {
    const steps: string[] = [];
    let finish: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    await a.locks.withLock(key, async () => {
      let grandchild: Promise<void> = Promise.resolve();
      await a.locks.withLock(key, async () => {
        grandchild = a.locks.withLock(key, async () => {
          await finished;
          steps.push('grandchild');
        });
        await turn();
      });
      const sibling = a.locks.withLock(key, () => void steps.push('sibling'));
      await turn();
      finish();
      await Promise.all([grandchild, sibling]);
    });
    expect(steps).toEqual(['grandchild', 'sibling']);
  });

  it('should not believe in a hold that is over: a task left behind waits like anyone (B35)', async () => {
    let late: () => Promise<string> = () => Promise.resolve('');
    await a.locks.withLock(key, () => {
      let go: () => void = () => undefined;
      const gate = new Promise<void>((resolve) => (go = resolve));
      const task = gate.then(() => a.locks.withLock(key, () => 'entered', { waitMs: 1_000 }));
      late = () => {
        go();
        return task;
      };
      void task.catch(() => undefined);
    });
    const other = await a.locks.acquire(key);
    await expect(late()).rejects.toMatchObject({ code: 'ZK_LOCK_TIMEOUT' });
    await other.release();
  });

  it('should hold the node until the last inner entry has ended (B35)', async () => {
    let finish: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    let inner: Promise<void> = Promise.resolve();
    await a.locks.withLock(key, async () => {
      inner = a.locks.withLock(key, () => finished);
      await turn();
    });
    expect(await a.locks.contenders(key)).toHaveLength(1);
    finish();
    await inner;
  });

  it('should wait like a stranger with reentrant: false', async () => {
    await a.locks.withLock(key, async () => {
      const again = a.locks.withLock(key, () => undefined, { reentrant: false, waitMs: 1_000 });
      await expect(again).rejects.toMatchObject({ code: 'ZK_LOCK_TIMEOUT' });
    });
  });

  it('should not make handles from acquire() reentrant, nor lend them to others', async () => {
    await a.locks.withLock(key, async () => {
      await expect(a.locks.acquire(key, { waitMs: 1_000 })).rejects.toMatchObject({
        code: 'ZK_LOCK_TIMEOUT',
      });
    });
  });

  it('should answer a busy sibling with waitMs 0 at once, and a waiting one within its deadline', async () => {
    await a.locks.withLock(key, async () => {
      let finish: () => void = () => undefined;
      const finished = new Promise<void>((resolve) => (finish = resolve));
      const first = a.locks.withLock(key, () => finished);
      await turn();
      await expect(a.locks.withLock(key, () => undefined, { waitMs: 0 })).rejects.toMatchObject({
        code: 'ZK_LOCK_TIMEOUT',
      });
      await expect(a.locks.withLock(key, () => undefined, { waitMs: 40 })).rejects.toThrow(
        /another branch inside that hold/,
      );
      finish();
      await first;
      await a.locks.withLock(key, () => undefined, { waitMs: 0 });
    });
  });

  it('should find the current lock, the innermost or that of a key', async () => {
    expect(() => currentLock()).toThrow(expect.objectContaining({ code: 'ZK_LOCK_NOT_HELD' }));
    await a.locks.withLock(key, async (outer) => {
      await a.locks.withLock(`${key}-other`, async (inner) => {
        await turn();
        expect(currentLock()).toBe(inner);
        expect(currentLock(key)).toBe(outer);
        expect(() => currentLock('nobody')).toThrow(/currentLock\("nobody"\)/);
      });
      expect(currentLock()).toBe(outer);
    });
    expect(() => currentLock()).toThrow();
  });

  it('should enter one of several keys again, and several that are partly held', async () => {
    const keys = [key, `${key}-b`, `${key}-c`];
    await a.locks.withLock(keys.slice(0, 2), async (outer) => {
      await a.locks.withLock(key, (inner) => expect(inner.fencingToken).toBe(outer.fencingTokens.get(key)));
      await a.locks.withLock(keys.slice(1), (inner) => {
        expect(inner.fencingTokens.get(keys[1]!)).toBe(outer.fencingTokens.get(keys[1]!));
      });
      expect(outer.isHeld()).toBe(true);
      expect(currentLock()).toBe(outer);
    });
    for (const each of keys) expect(await a.locks.contenders(each)).toEqual([]);
  });

  it('should let go early when the section says so, and take nothing back at its end', async () => {
    await a.locks.withLock(key, async (lock) => {
      await lock.release();
      expect(await a.locks.contenders(key)).toEqual([]);
      const other = await a.locks.acquire(key);
      expect(await other.verify()).toBe(true);
      await other.release();
    });
  });
});
