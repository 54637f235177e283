import { Test } from '@nestjs/testing';
import { Injectable, type INestApplicationContext, type Provider } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { LockConnectionError } from '../../lib/errors/lock-connection.error.js';
import { DistributedLock } from '../../lib/locking/distributed-lock.decorator.js';
import { LockService } from '../../lib/locking/lock.service.js';
import { ZkConnection } from '../../lib/session/zk-connection.js';
import * as messages from '../../lib/zk-lock.messages.js';
import { ZkLockModule } from '../../lib/zk-lock.module.js';
import type { ZkLockModuleExtras, ZkLockModuleOptions } from '../../lib/zk-lock.options.js';
import { getZkConnectionToken } from '../../lib/zk-lock.tokens.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';
import { CapturedLog } from './captured-log.js';

let server: ZooKeeperServer;
let log: CapturedLog;
let app: INestApplicationContext | undefined;

beforeAll(async () => {
  server = await ZooKeeperServer.start();
});
beforeEach(async () => {
  log = new CapturedLog();
  if ((await server.mode()) === undefined) await server.start();
});
afterEach(async () => {
  await app?.close();
  app = undefined;
});
afterAll(() => server[Symbol.asyncDispose]());

async function prepare(
  options: Partial<ZkLockModuleOptions> & ZkLockModuleExtras = {},
  providers: Provider[] = [],
): Promise<INestApplicationContext> {
  const zkLock = ZkLockModule.forRoot({ connectString: server.connectString, ...options });
  app = await Test.createTestingModule({ imports: [zkLock], providers })
    .setLogger(log)
    .compile();
  return app;
}

describe("Start with startup: 'require'", () => {
  it('should be connected when the application has started, and say so in one line', async () => {
    const { connection } = await started();
    const { state, sessionId = '' } = connection.info();
    expect(state).toBe('connected');
    await log.said('log', messages.STARTED(undefined, server.connectString, sessionId, 10_000, 0));
    expect(log.at('log')).toHaveLength(1);
    expect(log.at('warn')).toEqual([]);
  });

  it('should name the connection in that line', async () => {
    const { connection } = await started({ connectionName: 'billing' }, 'billing');
    const { sessionId = '' } = connection.info();
    await log.said('log', messages.STARTED('billing', server.connectString, sessionId, 10_000, 0));
  });

  it('should count the methods that are locked', async () => {
    @Injectable()
    class Orders {
      @DistributedLock('order:<id>')
      async pay(id: string): Promise<string> {
        return id;
      }

      @DistributedLock('order:<id>')
      async cancel(id: string): Promise<string> {
        return id;
      }
    }
    await (await prepare({}, [Orders])).init();
    const { sessionId = '' } = app!.get(ZkConnection).info();
    await log.said('log', messages.STARTED(undefined, server.connectString, sessionId, 10_000, 2));
  });

  it('should fail without ZooKeeper, naming the servers and the time, and leave no session behind', async () => {
    await server.stop();
    const starting = await prepare({ connectTimeoutMs: 300 });
    const failure: unknown = await starting.init().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(LockConnectionError);
    expect(String(failure)).toContain(messages.NOT_CONNECTED_AT_START(undefined, server.connectString, 300));
    expect(starting.get(ZkConnection).info().state).toBe('closed');

    await server.start();
    await expect(server.mntr()).resolves.toMatchObject({ zk_num_alive_connections: 1 }); // the one that asks
  });

  it('should fail on a host that does not exist', async () => {
    const starting = await prepare({ connectString: 'no-such-host.invalid:2181', connectTimeoutMs: 300 });
    await expect(starting.init()).rejects.toThrow(
      messages.NOT_CONNECTED_AT_START(undefined, 'no-such-host.invalid:2181', 300),
    );
  });
});

describe("Start with startup: 'background'", () => {
  it('should start without ZooKeeper, warn, and take locks once it is there', async () => {
    await server.stop();
    const starting = await prepare({ startup: 'background', connectTimeoutMs: 200 });
    await starting.init();
    const connection = starting.get(ZkConnection);
    expect(connection.info().state).toBe('connecting');
    await log.said('warn', messages.NOT_YET_CONNECTED(undefined, server.connectString, 200));
    await expect(starting.get(LockService).acquire('k', { waitMs: 50 })).rejects.toThrow(LockConnectionError);

    const acquired = starting.get(LockService).acquire('k');
    await server.start();
    await (await acquired).release();
    const { sessionId = '' } = connection.info();
    await log.said('log', messages.STARTED(undefined, server.connectString, sessionId, 10_000, 0));
  });

  it('should end quietly when it is closed before ZooKeeper was there', async () => {
    await server.stop();
    const starting = await prepare({ startup: 'background' });
    await starting.init();
    await starting.close();
    expect(log.at('log')).toEqual([]);
    expect(log.at('warn')).toEqual([]);
    expect(log.at('error')).toEqual([]);
  });
});

describe('Warnings at start', () => {
  const environment = process.env.NODE_ENV;
  afterEach(() => {
    process.env.NODE_ENV = environment;
  });

  it('should tell when the server changed the session timeout', async () => {
    await started({ sessionTimeoutMs: 90_000 });
    await log.said('warn', messages.TIMEOUT_CLAMPED(undefined, 90_000, 60_000));
  });

  it.each([9_999, 30_001])(
    'should tell in production that a session timeout of %d ms is unusual',
    async (timeout) => {
      process.env.NODE_ENV = 'production';
      await started({ sessionTimeoutMs: timeout });
      await log.said('warn', messages.TIMEOUT_UNUSUAL(undefined, timeout));
    },
  );

  it.each([
    [10_000, 'production'],
    [30_000, 'production'],
    [2_000, 'development'],
  ])('should not complain about %d ms in %s', async (timeout, nodeEnv) => {
    process.env.NODE_ENV = nodeEnv;
    await started({ sessionTimeoutMs: timeout });
    expect(log.at('warn')).toEqual([]);
  });
});

async function started(
  options: Partial<ZkLockModuleOptions> & ZkLockModuleExtras = {},
  connectionName?: string,
): Promise<{ connection: ZkConnection }> {
  const starting = await prepare(options);
  await starting.init();
  return { connection: starting.get<ZkConnection>(getZkConnectionToken(connectionName)) };
}
