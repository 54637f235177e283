import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Controller, Get, Module, type INestApplication } from '@nestjs/common';
import { HealthCheck, HealthCheckService, TerminusModule, type HealthCheckResult } from '@nestjs/terminus';
import { Test } from '@nestjs/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ZkLockHealthIndicator, type ZkLockHealthDetails } from '../../lib/health/index.js';
import { LockService } from '../../lib/locking/lock.service.js';
import { ZkConnection } from '../../lib/session/zk-connection.js';
import { UNKNOWN_CONNECTION } from '../../lib/zk-lock.messages.js';
import { ZkLockModule } from '../../lib/zk-lock.module.js';
import { waitFor } from '../support/wait-for.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

const SESSION_TIMEOUT_MS = 3_000;

@Controller('health')
class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly zookeeper: ZkLockHealthIndicator,
  ) {}

  @Get('live')
  @HealthCheck()
  live(): Promise<HealthCheckResult> {
    return this.health.check([() => this.zookeeper.liveness('zookeeper')]);
  }

  @Get('ready')
  @HealthCheck()
  ready(): Promise<HealthCheckResult> {
    return this.health.check([() => this.zookeeper.readiness('zookeeper', { timeoutMs: 400 })]);
  }
}

@Module({
  imports: [TerminusModule.forRoot({ logger: false })],
  controllers: [HealthController],
  providers: [ZkLockHealthIndicator],
})
class HealthModule {}

type Detail = ZkLockHealthDetails & { status: string; code?: string; message?: string };

interface Answer {
  httpStatus: number;
  status: string;
  zookeeper: Detail;
}

let server: ZooKeeperServer;
let app: INestApplication;

beforeAll(async () => {
  server = await ZooKeeperServer.start();
});
afterEach(async () => {
  await server.resume();
  await app.close();
});
afterAll(() => server[Symbol.asyncDispose]());

async function start(startup: 'require' | 'background' = 'require'): Promise<void> {
  const connectString = server.connectString;
  const module = await Test.createTestingModule({
    imports: [
      ZkLockModule.forRoot({ connectString, sessionTimeoutMs: SESSION_TIMEOUT_MS, startup }),
      ZkLockModule.forRoot({ connectString, connectionName: 'billing', isGlobal: false, startup }),
      HealthModule,
    ],
  }).compile();
  app = module.createNestApplication();
  await app.listen(0, '127.0.0.1');
}

/** SIGSTOP takes a moment to reach every thread. */
async function pause(): Promise<void> {
  await server.pause();
  await waitFor(() =>
    server.fourLetter('ruok', 100).then(
      () => false,
      () => true,
    ),
  );
}

async function ask(path: 'live' | 'ready'): Promise<Answer> {
  const { port } = (app.getHttpServer() as Server).address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}/health/${path}`);
  const { status, details } = (await response.json()) as HealthCheckResult;
  return { httpStatus: response.status, status, zookeeper: details.zookeeper as unknown as Detail };
}

describe('readiness', () => {
  it('should be up with all details while ZooKeeper answers', async () => {
    await start();
    await using _held = await app.get(LockService).acquire('order-pay:42');
    const waiting = app.get(LockService).acquire('order-pay:42');
    await waitFor(() => app.get(LockService).stats().waiting === 1);

    const { sessionId } = app.get(ZkConnection).info();
    const { zookeeper, ...rest } = await ask('ready');
    expect(rest).toEqual({ httpStatus: 200, status: 'ok' });
    expect(zookeeper).toEqual({
      status: 'up',
      state: 'connected',
      sessionId,
      negotiatedTimeoutMs: SESSION_TIMEOUT_MS,
      server: server.connectString,
      roundTripMs: expect.any(Number),
      held: 1,
      waiting: 1,
      pendingDeletes: 0,
    });
    await _held.release();
    await (await waiting).release();
  });

  it('should be degraded while locks are still safe, then down, and up again when the server is back', async () => {
    await start();
    await server.stop();
    const broken = await waitFor(async () => {
      const { zookeeper, ...rest } = await ask('ready');
      return zookeeper.state === 'suspended' && { ...rest, status: zookeeper.status, code: zookeeper.code };
    });
    expect(broken).toEqual({ httpStatus: 200, status: 'degraded', code: 'ZK_LOCK_SUSPENDED' });

    const down = await waitFor(async () => {
      const answer = await ask('ready');
      return answer.zookeeper.status === 'down' && answer;
    });
    expect(down).toMatchObject({
      httpStatus: 503,
      status: 'error',
      zookeeper: {
        code: 'ZK_LOCK_SUSPENDED',
        message: expect.stringMatching(/^the connection is broken for \d+ ms$/),
      },
    });
    expect(down.zookeeper).not.toHaveProperty('roundTripMs');
    await expect(ask('live')).resolves.toMatchObject({ httpStatus: 200, zookeeper: { status: 'up' } });

    await server.start();
    await waitFor(async () => (await ask('ready')).zookeeper.status === 'up');
  });

  it('should be down when the server does not answer on an open connection', async () => {
    await start();
    await pause();
    await expect(ask('ready')).resolves.toMatchObject({
      httpStatus: 503,
      zookeeper: { status: 'down', code: 'ZK_LOCK_NO_ANSWER', state: 'connected' },
    });
    await server.resume();
    await waitFor(async () => (await ask('ready')).zookeeper.status === 'up');
  });

  it('should be degraded when the server answers slowly', async () => {
    await start();
    await pause();
    const indicator = app.get(ZkLockHealthIndicator, { strict: false });
    const answer = indicator.readiness('zk', { connectionName: 'billing', timeoutMs: 4_000 });
    setTimeout(() => void server.resume(), 2_500);
    await expect(answer).resolves.toMatchObject({
      zk: { status: 'degraded', code: 'ZK_LOCK_SLOW', roundTripMs: expect.any(Number) },
    });
  });

  it('should be down before the first session, while the process is alive', async () => {
    await server.stop();
    await start('background');
    const { httpStatus, zookeeper } = await ask('ready');
    expect({ httpStatus, status: zookeeper.status, code: zookeeper.code }).toEqual({
      httpStatus: 503,
      status: 'down',
      code: 'ZK_LOCK_CONNECTING',
    });
    expect(zookeeper).not.toHaveProperty('sessionId');
    await expect(ask('live')).resolves.toMatchObject({ httpStatus: 200, zookeeper: { status: 'up' } });
    await server.start();
    await waitFor(async () => (await ask('ready')).zookeeper.status === 'up');
  });
});

describe('liveness', () => {
  it('should be down only when the connection was closed', async () => {
    await start();
    await expect(ask('live')).resolves.toMatchObject({
      httpStatus: 200,
      zookeeper: { status: 'up', held: 0 },
    });
    await app.get(ZkConnection).close();
    await expect(ask('live')).resolves.toMatchObject({
      httpStatus: 503,
      zookeeper: { status: 'down', code: 'ZK_LOCK_CLOSED', state: 'closed' },
    });
    await expect(ask('ready')).resolves.toMatchObject({
      httpStatus: 503,
      zookeeper: { status: 'down', code: 'ZK_LOCK_CLOSED' },
    });
  });
});

describe('named connections', () => {
  it('should ask the connection that is named', async () => {
    await start();
    await app.get(ZkConnection).close();
    const indicator = app.get(ZkLockHealthIndicator, { strict: false });
    await expect(indicator.readiness('zk', { connectionName: 'billing' })).resolves.toMatchObject({
      zk: { status: 'up', state: 'connected' },
    });
    await expect(indicator.liveness('zk', { connectionName: 'billing' })).resolves.toMatchObject({
      zk: { status: 'up' },
    });
  });

  it('should say that there is no such connection', async () => {
    await start();
    const indicator = app.get(ZkLockHealthIndicator, { strict: false });
    const unknown = { connectionName: 'shipping' };
    await expect(indicator.readiness('zk', unknown)).rejects.toThrow(UNKNOWN_CONNECTION('shipping'));
    await expect(indicator.liveness('zk', unknown)).rejects.toThrow(UNKNOWN_CONNECTION('shipping'));
  });
});
