import { Test, type TestingModule } from '@nestjs/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { isLockTimeoutError, LockService, ZkConnection } from 'nestjs-zk-lock';
import { LockExpectationError, ZkLockTesting, ZkLockTestingModule } from 'nestjs-zk-lock/testing';
import { CapturedLog } from '../../nest/captured-log.js';
import { AppModule, OrdersService } from './orders-app.js';

describe('ZkLockTesting', () => {
  let module: TestingModule;
  let zk: ZkLockTesting;
  let orders: OrdersService;
  beforeEach(async () => {
    module = await Test.createTestingModule({ imports: [AppModule, ZkLockTestingModule.forRoot()] })
      .setLogger(new CapturedLog())
      .compile();
    await module.init();
    zk = module.get(ZkLockTesting);
    orders = module.get(OrdersService, { strict: false });
  });
  afterEach(() => module.close());

  const failure = (expectation: Promise<void>): Promise<LockExpectationError> =>
    expectation.then(
      () => Promise.reject(new Error('The expectation was met.')),
      (error: unknown) => {
        expect(error).toBeInstanceOf(LockExpectationError);
        return error as LockExpectationError;
      },
    );

  it('should hold a lock from another session until it is released', async () => {
    const other = await zk.holdLock('order-pay:42');
    const paying = orders.pay('42');
    await zk.expectWaiting('order-pay:42');
    await zk.expectHeld('order-pay:42');
    await other.release();

    expect((await paying).fencingToken).toBeGreaterThan(other.fencingToken);
    await zk.expectFree('order-pay:42');
  });

  it('should hold any kind of lock', async () => {
    await using _reader = await zk.holdLock('report:1', { mode: 'read' });
    await expect(orders.report('1')).resolves.toBe('1');
    await using _writer = await zk.holdLock('report:2', { mode: 'write' });
    expect(await orders.locks.tryAcquire('report:2', { mode: 'read' })).toBeNull();
    await using _permit = await zk.holdLock('export', { permits: 1 });
    await zk.expectHeld('export');
    expect(await orders.locks.tryAcquire('export', { permits: 1 })).toBeNull();
    await using _node = await zk.holdLock({ path: '/curator/stock' });
    await zk.expectHeld({ path: '/curator/stock' });
    await using _billing = await zk.holdLock('order-pay:42', { connection: 'billing' });
    await zk.expectFree('order-pay:42');
  });

  it('should tell who has a lock that cannot be held', async () => {
    const paying = orders.pay('slow');
    await zk.expectHeld('order-pay:slow');
    const error: unknown = await zk
      .holdLock('order-pay:slow', { waitMs: 100 })
      .catch((reason: unknown) => reason);
    orders.finish();
    await paying;

    expect(isLockTimeoutError(error) && error.holder).toContain('OrdersService.pay');
  });

  it('should let the session expire: its locks are lost, and a new session takes its place', async () => {
    const paying = orders.pay('slow');
    await zk.expectHeld('order-pay:slow');
    const connection = module.get(ZkConnection, { strict: false });
    const { sessionId } = connection.info();
    await zk.expireSession();
    await zk.expectFree('order-pay:slow');
    orders.finish();

    await expect(paying).rejects.toMatchObject({ code: 'ZK_LOCK_LOST', reason: 'session-lost' });
    await orders.pay('42');
    expect(connection.info().sessionId).not.toBe(sessionId);
  });

  it('should let the session of a named connection expire, and no other', async () => {
    await using lock = await module.get(LockService, { strict: false }).acquire('key');
    await zk.expireSession('billing');

    expect(lock.isHeld()).toBe(true);
    await expect(orders.bill('42')).resolves.toBe('42');
  });

  it('should refuse to let a session expire that is not there', async () => {
    const idle = await Test.createTestingModule({
      imports: [AppModule, ZkLockTestingModule.forRoot()],
    }).compile();
    try {
      await expect(idle.get(ZkLockTesting).expireSession()).rejects.toThrow('module.init()');
      await expect(zk.expireSession('bills')).rejects.toThrow('Known: the default one, "billing"');
    } finally {
      await idle.close();
    }
  });

  it('should tell what it saw instead of a lock that is held', async () => {
    await using _other = await zk.holdLock('order-pay:43');
    const error = await failure(zk.expectHeld('order-pay:42', { timeoutMs: 50 }));

    expect(error.message).toMatch(
      /^Expected the lock "order-pay:42" to be held\. After 50 ms it was not:\n {2}nobody holds it or waits for it\nNodes of locks at the server:\n {2}\/shop\/teams\/locks\/order-pay:43\/_c_/,
    );
  });

  it('should tell who has a lock that is expected to be free', async () => {
    await using other = await zk.holdLock('order-pay:42', { purpose: 'another process' });
    const error = await failure(zk.expectFree('order-pay:42', { timeoutMs: 0 }));

    expect(error.message).toContain('Expected the lock "order-pay:42" to be free');
    expect(error.message).toContain(`holding (exclusive): `);
    expect(error.message).toContain(`pid ${process.pid}, another process, session 0x`);
    expect(error.contenders.map(({ path }) => path)).toEqual([expect.stringContaining(`${other.path}/_c_`)]);
  });

  it('should tell that nobody waits', async () => {
    await using _other = await zk.holdLock('order-pay:42');
    const error = await failure(zk.expectWaiting('order-pay:42', { timeoutMs: 0 }));

    expect(error.message).toContain('to be waited for. After 0 ms it was not:\n  holding (exclusive)');
  });

  it.each(['pause', 'stop'] as const)('should look at the server after %s(), too', async (fault) => {
    await using _other = await zk.holdLock('order-pay:42');
    await zk.server[fault]();

    await zk.expectHeld('order-pay:42');
    const error = await failure(zk.expectFree('order-pay:42', { timeoutMs: 20 }));
    expect(error.contenders).toMatchObject([{ state: 'holding', mine: false }]);
    await expect(zk.expireSession()).rejects.toThrow(fault === 'pause' ? 'is paused' : 'is stopped');
    await zk.server.restart();
  });

  it.each([
    [{ timeoutMs: 'x' }, `Option "timeoutMs" is 'x'; allowed are integers from 0 to 3600000 ms.`],
    [{ timeoutMs: -1 }, 'Option "timeoutMs" is -1'],
    [{ timeout: 1 }, 'Did you mean "timeoutMs"?'],
    [{ connection: 5 }, 'Option "connection" is 5'],
    [5, 'options is 5. Expected an object.'],
  ])('should refuse to expect with %j', async (options, message) => {
    for (const expectation of ['expectHeld', 'expectWaiting', 'expectFree'] as const) {
      await expect(zk[expectation]('order-pay:42', options as object)).rejects.toThrow(message);
    }
  });

  it('should not ask rules about what the test does itself', async () => {
    await (await zk.holdLock('order-pay:1')).release();
    const seen = new Set<string>();
    zk.server.intercept(({ session }) => {
      seen.add(session);
      return 'cut';
    });
    await using _other = await zk.holdLock('order-pay:42');
    await zk.expectHeld('order-pay:42');

    expect(seen.size).toBeLessThanOrEqual(1);
    zk.server.state.rules.clear();
  });

  it('should tell the session of the application', async () => {
    const id = await zk.sessionId();
    expect(id).toBe(module.get(ZkConnection, { strict: false }).info().sessionId);
    zk.server.dropConnection(id);

    expect(await zk.sessionId()).toBe(id);
  });

  it('should let one session after the other expire', async () => {
    const ids = [];
    for (let i = 0; i < 3; i += 1) {
      ids.push(await zk.sessionId());
      await zk.expireSession();
    }

    expect(new Set(ids).size).toBe(3);
  });

  it('should not take a lock that the test holds for one that can be entered again', async () => {
    await using _other = await zk.holdLock('order-pay:42');
    const error: unknown = await zk
      .holdLock('order-pay:42', { waitMs: 50 })
      .catch((reason: unknown) => reason);

    expect(isLockTimeoutError(error)).toBe(true);
    expect(String(error)).toContain('ZkLockTesting.holdLock');
    expect(String(error)).not.toContain('reentrant');
  });

  it('should reject, not throw, when the application is closed', async () => {
    await module.close();
    const holding = zk.holdLock('order-pay:42');

    await expect(holding).rejects.toThrow('Known: none');
  });

  it('should let faults be made at the server', async () => {
    let lost = 0;
    const remove = zk.server.intercept(({ op, path }) =>
      op.startsWith('create') && path?.includes('/order-pay:42/') && lost++ === 0 ? 'drop-answer' : undefined,
    );
    await orders.pay('42');
    remove();

    expect(lost).toBeGreaterThan(1);
    await zk.expectFree('order-pay:42');
  });
});
