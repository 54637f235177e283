import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { LockOptions } from '../../lib/locking/lock.service.js';
import * as messages from '../../lib/locking/locking.messages.js';
import { LockClient } from '../support/lock-client.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

/** What an untyped caller may hand over by mistake. */
describe('Arguments of LockService', () => {
  let server: ZooKeeperServer;
  let a: LockClient;
  beforeAll(async () => {
    server = await ZooKeeperServer.start();
    a = await LockClient.open(server.connectString);
  });
  afterAll(async () => {
    await a[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  it('should refuse an option that does not exist, and name the nearest', async () => {
    const options = { waitMS: 5 } as LockOptions;
    const text = /There is no option "waitMS"\. Did you mean "waitMs"\? Known: waitMs, attemptMs, /;
    for (const call of [
      () => a.locks.acquire('a', options),
      () => a.locks.tryAcquire('a', options),
      () => a.locks.withLock('a', () => 1, options),
      () => a.locks.mutex('a').acquire(options),
    ]) {
      await expect(call()).rejects.toThrow(text);
    }
    await expect(a.locks.acquire('a', { timeoutMs: 5 } as LockOptions)).rejects.toMatchObject({
      code: 'ZK_LOCK_CONFIG',
    });
  });

  it('should know its own options', async () => {
    const options: LockOptions[] = [{ mode: 'read' }, { permits: 2 }, { stripes: 2 }];
    for (const [at, each] of options.entries()) {
      await expect(a.locks.withLock(`own-${at}`, () => 'ran', each)).resolves.toBe('ran');
    }
  });

  it.each([null, 5, 'fast', []])('should refuse %p as options', async (options) => {
    await expect(a.locks.acquire('a', options as LockOptions)).rejects.toThrow(/^options is .* an object\.$/);
  });

  it('should refuse a body that is no function, before it takes the lock', async () => {
    await using _busy = await a.locks.acquire('busy');
    for (const body of [{ waitMs: 1 }, undefined]) {
      await expect(a.locks.withLock('busy', body as never)).rejects.toThrow(messages.bodyNotAFunction(body));
    }
  });

  it('should tell how several keys are taken as one', async () => {
    const keys = ['a', 'b'] as unknown as string;
    await expect(a.locks.acquire(keys)).rejects.toThrow(messages.keyNotAString(keys));
    await expect(a.locks.acquire(keys)).rejects.toThrow(/multiLock\(keys\)/);
  });
});
