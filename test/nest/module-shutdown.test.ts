import { get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  Controller,
  Get,
  Injectable,
  type INestApplication,
  type OnModuleDestroy,
  type Provider,
} from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { isLockLostError } from '../../lib/errors/lock-lost.error.js';
import { isLockShutdownError } from '../../lib/errors/lock-shutdown.error.js';
import { DistributedLock } from '../../lib/locking/distributed-lock.decorator.js';
import { LockService } from '../../lib/locking/lock.service.js';
import { ZkConnection } from '../../lib/session/zk-connection.js';
import { ZkLockModule } from '../../lib/zk-lock.module.js';
import type { ZkLockModuleOptions } from '../../lib/zk-lock.options.js';
import { LockClient } from '../support/lock-client.js';
import { waitFor } from '../support/wait-for.js';
import { ZkProxy } from '../support/zk-proxy.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';
import { CapturedLog } from './captured-log.js';

/** So long that no test could pass by waiting for it. */
const SESSION_TIMEOUT_MS = 60_000;

/** A request that pays under the lock and takes until `finish()`. */
@Controller()
class PaymentsController {
  finish: () => void = () => undefined;
  private readonly finished = new Promise<void>((resolve) => (this.finish = resolve));

  constructor(private readonly locks: LockService) {}

  @Get('pay')
  pay(): Promise<{ held: boolean }> {
    return this.locks.withLock('order-pay:42', async (lock) => {
      await this.finished;
      return { held: lock.isHeld() };
    });
  }
}

/** Takes a last lock when the application begins to go. */
@Injectable()
class Farewell implements OnModuleDestroy {
  said = false;
  constructor(private readonly locks: LockService) {}

  async onModuleDestroy(): Promise<void> {
    if (this.said) return;
    await this.locks.withLock('farewell', () => (this.said = true));
  }
}

@Injectable()
class Jobs {
  runs = 0;

  @DistributedLock('nightly', { onBusy: 'skip' })
  async nightly(): Promise<void> {
    this.runs += 1;
  }

  @DistributedLock('nightly')
  async throwing(): Promise<void> {
    this.runs += 1;
  }

  @DistributedLock('nightly', { onBusy: () => undefined })
  async falling(): Promise<void> {
    this.runs += 1;
  }
}

let server: ZooKeeperServer;
/** Another process, as far as ZooKeeper can tell. */
let other: LockClient;
let app: INestApplication;

beforeAll(async () => {
  server = await ZooKeeperServer.start();
  other = await LockClient.open(server.connectString, { sessionTimeoutMs: SESSION_TIMEOUT_MS });
});
afterEach(() => app.close());
afterAll(async () => {
  await other[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

async function start(
  options: Partial<ZkLockModuleOptions> = {},
  ...providers: Provider[]
): Promise<LockService> {
  const connection = { connectString: server.connectString, sessionTimeoutMs: SESSION_TIMEOUT_MS };
  const module = await Test.createTestingModule({
    imports: [ZkLockModule.forRoot({ ...connection, ...options })],
    controllers: [PaymentsController],
    providers,
  })
    .setLogger(new CapturedLog())
    .compile();
  app = module.createNestApplication();
  await app.listen(0, '127.0.0.1');
  return app.get(LockService);
}

/** Without keep-alive, for which the server would wait when it closes. */
function pay(): Promise<unknown> {
  const { port } = (app.getHttpServer() as Server).address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const request = get({ port, host: '127.0.0.1', path: '/pay', agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve(JSON.parse(text)));
    });
    request.on('error', reject);
  });
}

describe('Shutdown', () => {
  it('B52 should give held locks to others at once, not after the session timeout', async () => {
    const locks = await start();
    const forgotten = await locks.acquire('order-pay:1');
    const next = other.locks.acquire('order-pay:1');
    await waitFor(async () => (await locks.contenders('order-pay:1')).length === 2);

    await app.close();
    await (await next).release();
    expect(forgotten.isHeld()).toBe(false);
    expect(isLockLostError(forgotten.signal.reason)).toBe(true);
  });

  it('B52 should let requests in flight finish under their lock', async () => {
    const locks = await start();
    const answer = pay();
    await waitFor(() => locks.stats().held === 1);
    const closed = app.close();
    const next = other.locks.acquire('order-pay:42');
    await waitFor(async () => (await other.locks.contenders('order-pay:42')).length === 2);

    app.get(PaymentsController).finish();
    await expect(answer).resolves.toEqual({ held: true });
    await closed;
    await (await next).release();
  });

  it('should let no new acquire begin', async () => {
    const locks = await start();
    const answer = pay();
    await waitFor(() => locks.stats().held === 1);
    const closed = app.close();
    // The request in flight keeps the application from ending while this is asked.
    const refusal = await waitFor(() =>
      locks.tryAcquire('order-pay:2').then(
        (lock) => lock?.release().then(() => undefined),
        (error: unknown) => error,
      ),
    );
    expect(isLockShutdownError(refusal)).toBe(true);
    app.get(PaymentsController).finish();
    await Promise.all([closed, answer]);
  });

  it("should skip calls with onBusy: 'skip' that may not start any more, and those only", async () => {
    const locks = await start({ shutdownGraceMs: 200 }, Jobs);
    const answer = pay();
    await waitFor(() => locks.stats().held === 1);
    await using _busy = await other.locks.acquire('nightly');
    const jobs = app.get(Jobs);
    const waiting = jobs.nightly();
    await waitFor(() => locks.stats().waiting === 1);
    const closed = app.close();
    await expect(waiting).resolves.toBeUndefined();
    await expect(jobs.nightly()).resolves.toBeUndefined();
    await expect(jobs.throwing()).rejects.toMatchObject({ code: 'ZK_LOCK_SHUTDOWN' });
    await expect(jobs.falling()).rejects.toMatchObject({ code: 'ZK_LOCK_SHUTDOWN' });
    expect(jobs.runs).toBe(0);
    app.get(PaymentsController).finish();
    await Promise.all([closed, answer]);
  });

  it('should reject waits in progress after shutdownGraceMs, and leave nothing of them', async () => {
    const locks = await start({ shutdownGraceMs: 300 });
    await using _busy = await other.locks.acquire('order-pay:3');
    const waiting = locks.acquire('order-pay:3').catch((error: unknown) => error);
    await waitFor(() => locks.stats().waiting === 1);

    const begin = performance.now();
    await app.close();
    expect(performance.now() - begin).toBeGreaterThanOrEqual(295);
    expect(isLockShutdownError(await waiting)).toBe(true);
    await expect(other.locks.contenders('order-pay:3')).resolves.toHaveLength(1);
  });

  it('should grant a wait in progress within shutdownGraceMs', async () => {
    const locks = await start({ shutdownGraceMs: 20_000 });
    const busy = await other.locks.acquire('order-pay:4');
    const waiting = locks.withLock('order-pay:4', (lock) => lock.isHeld());
    await waitFor(() => locks.stats().waiting === 1);
    const closed = app.close();
    await busy.release();
    await expect(waiting).resolves.toBe(true);
    await closed;
  });

  it('should give locks to onModuleDestroy hooks, and close the session in the end', async () => {
    await start({}, Farewell);
    const farewell = app.get(Farewell);
    const connection = app.get(ZkConnection);
    await app.close();
    expect(farewell.said).toBe(true);
    expect(connection.info()).toMatchObject({ state: 'closed', pendingDeletes: 0 });
  });

  it('should end the session once everything that was asked for is answered', async () => {
    await using proxy = await ZkProxy.start(server);
    const locks = await start({ connectString: proxy.connectString, shutdownGraceMs: 0 });
    await using _busy = await other.locks.acquire('order-pay:5');
    const waiting = locks.acquire('order-pay:5').catch((error: unknown) => error);
    await waitFor(async () => (await other.locks.contenders('order-pay:5')).length === 2);
    const answer = proxy.on({ op: 'delete' }, 'hold-answer');
    const closed = app.close();
    await answer.hit();
    const since = performance.now();
    await waitFor(() => performance.now() - since > 200); // in which the session does not end
    expect(proxy.count('closeSession')).toBe(0);
    answer.release();
    await Promise.all([closed, waiting]);
    await waitFor(() => proxy.count('closeSession') === 1);
  });

  it('should end in bounded time while ZooKeeper is away', async () => {
    const locks = await start({ releaseWaitMs: 200, shutdownGraceMs: 200 });
    await locks.acquire('order-pay:5');
    await server.stop();
    try {
      const waiting = locks.acquire('order-pay:6').catch((error: unknown) => error);
      await app.close();
      expect(isLockShutdownError(await waiting)).toBe(true);
    } finally {
      await server.start();
    }
  });
});
