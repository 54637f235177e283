import { connect } from 'node:net';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Test, type TestingModule } from '@nestjs/testing';
import { afterEach, describe, expect, it } from '@jest/globals';
import { InjectLockService, LockService, ZkConnection, ZkLockModule } from 'nestjs-zk-lock';
import { TestingServer, ZkLockTesting, ZkLockTestingModule } from 'nestjs-zk-lock/testing';
import { CapturedLog } from '../../nest/captured-log.js';
import { waitFor } from '../../support/wait-for.js';
import { AppModule, NOWHERE, OrdersService } from './orders-app.js';

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

describe('ZkLockTestingModule', () => {
  const modules: TestingModule[] = [];
  const log = new CapturedLog();
  const start = async (
    ...imports: NonNullable<Parameters<typeof Test.createTestingModule>[0]['imports']>
  ) => {
    const module = await Test.createTestingModule({ imports }).setLogger(log).compile();
    modules.push(module);
    return module.init();
  };
  afterEach(() => Promise.all(modules.splice(0).map((module) => module.close())));

  it.each(['before', 'behind'])(
    'should serve an application that is as it is, imported %s it',
    async (where) => {
      const testing = ZkLockTestingModule.forRoot();
      const module = await start(...(where === 'before' ? [AppModule, testing] : [testing, AppModule]));

      const lock = await module.get(OrdersService, { strict: false }).pay('42');
      expect(lock.path).toBe('/teams/locks/order-pay:42');
      const { server } = module.get(ZkLockTesting);
      expect(server.dump()).toContain('shop');
      expect(module.get(ZkConnection, { strict: false }).info()).toMatchObject({
        state: 'connected',
        server: server.connectString,
        negotiatedTimeoutMs: 5_000,
      });
    },
  );

  it('should say where it is connected in the line of the start', async () => {
    const module = await start(AppModule, ZkLockTestingModule.forRoot());
    const { server } = module.get(ZkLockTesting);
    await waitFor(() => log.at('log').some((line) => line.includes(`connected ${server.connectString}`)));
    expect(log.at('log').join()).not.toContain(NOWHERE);
  });

  it('should give each ensemble a server, so that the same key on two of them is two locks', async () => {
    const module = await start(AppModule, ZkLockTestingModule.forRoot());
    const zk = module.get(ZkLockTesting);
    expect(zk.serverOf('billing')).not.toBe(zk.server);

    await using _other = await zk.holdLock('order-pay:42');
    await zk.expectFree('order-pay:42', { connection: 'billing' });
    await expect(module.get(OrdersService, { strict: false }).bill('42')).resolves.toBe('42');
  });

  it('should give connections of one ensemble one server', async () => {
    @Module({
      imports: [
        ZkLockModule.forRoot({ connectString: NOWHERE }),
        ZkLockModule.forRoot({ connectString: NOWHERE, connectionName: 'b' }),
      ],
    })
    class TwoSessions {
      constructor(
        @InjectLockService() readonly a: LockService,
        @InjectLockService('b') readonly b: LockService,
      ) {}
    }
    const module = await start(TwoSessions, ZkLockTestingModule.forRoot());
    const { a, b } = module.get(TwoSessions);
    await using _held = await a.acquire('key');

    expect(await b.tryAcquire('key')).toBeNull();
  });

  it('should stop its servers, and end what it held, when the application is closed', async () => {
    const module = await start(AppModule, ZkLockTestingModule.forRoot());
    const zk = module.get(ZkLockTesting);
    const ports = [zk.server.port, zk.serverOf('billing').port];
    expect(await Promise.all(ports.map(isListening))).toEqual([true, true]);
    const held = await zk.holdLock('order-pay:42');
    await module.close();

    expect(held.state).toBe('lost');
    expect(await Promise.all(ports.map(isListening))).toEqual([false, false]);
    expect(() => zk.server).toThrow('there is no connection the default one. Known: none');
  });

  it('should stop its servers when the application is closed that was never started', async () => {
    const module = await Test.createTestingModule({
      imports: [AppModule, ZkLockTestingModule.forRoot()],
    }).compile();
    const { port } = module.get(ZkLockTesting).server;
    await module.close();

    expect(await isListening(port)).toBe(false);
  });

  it('should not block the event loop when the application is closed', async () => {
    const module = await start(AppModule, ZkLockTestingModule.forRoot());
    await module.get(ZkLockTesting).holdLock('order-pay:42');
    const { idle } = performance.eventLoopUtilization();
    const begun = performance.now();
    await module.close();

    // The client gives up after 1.5 s for each of three sessions.
    expect(performance.now() - begun - (performance.eventLoopUtilization().idle - idle)).toBeLessThan(1_400);
  });

  it('should use a server of the test, and leave it running', async () => {
    await using server = await TestingServer.start();
    const [one, two] = await Promise.all([
      start(AppModule, ZkLockTestingModule.forRoot({ server })),
      start(AppModule, ZkLockTestingModule.forRoot({ server })),
    ]);
    expect(one.get(ZkLockTesting).server).toBe(server);
    expect(one.get(ZkLockTesting).serverOf('billing')).toBe(server);

    const slow = one.get(OrdersService, { strict: false }).pay('slow');
    await two.get(ZkLockTesting).expectHeld('order-pay:slow');
    one.get(OrdersService, { strict: false }).finish();
    await slow;
    await one.close();
    await two.get(OrdersService, { strict: false }).pay('42');
    expect(await isListening(server.port)).toBe(true);
  });

  it('should give its options to the server', async () => {
    const module = await start(AppModule, ZkLockTestingModule.forRoot({ tickTime: 3_000 }));

    // 2 ticks at least
    expect(module.get(ZkConnection, { strict: false }).info().negotiatedTimeoutMs).toBe(6_000);
  });

  it('should hold locks with the identity of the application', async () => {
    const module = await start(
      ZkLockModule.forRoot({
        connectString: NOWHERE,
        auth: { scheme: 'digest', credentials: 'shop:secret' },
        acl: 'creator',
      }),
      ZkLockTestingModule.forRoot(),
    );
    await module.get(LockService).withLock('key', () => undefined);
    const zk = module.get(ZkLockTesting);
    await using _other = await zk.holdLock('key');
    await zk.expectHeld('key');

    expect(await module.get(LockService).tryAcquire('key')).toBeNull();
  });

  it('should serve an application that is made by NestFactory', async () => {
    @Module({ imports: [AppModule, ZkLockTestingModule.forRoot()] })
    class TestApp {}
    const app = await NestFactory.createApplicationContext(TestApp, { logger: false });
    try {
      await app.get(OrdersService, { strict: false }).pay('42');
      await app.get(ZkLockTesting).expectFree('order-pay:42');
    } finally {
      await app.close();
    }
  });

  it.each<[string, (server: TestingServer) => unknown]>([
    ['paused', (server) => server.pause()],
    ['stopped', (server) => server.stop()],
    ['cut off by a rule', (server) => server.intercept(() => 'cut')],
    ['silent by a rule', (server) => server.intercept(() => ({ delayMs: Infinity }))],
  ])('should close at once when a failed test leaves the server %s', async (_how, fault) => {
    const module = await start(AppModule, ZkLockTestingModule.forRoot());
    const orders = module.get(OrdersService, { strict: false });
    const zk = module.get(ZkLockTesting);
    await orders.locks.acquire('order-pay:41');
    await zk.holdLock('order-pay:42');
    await fault(zk.server);
    const waiting = zk.holdLock('order-pay:42').catch((error: unknown) => error);
    const begun = performance.now();
    await module.close();

    expect(performance.now() - begun).toBeLessThan(4_000);
    expect(await waiting).toBeInstanceOf(Error);
  });

  it('should say nothing of the locks that the test held', async () => {
    const module = await start(AppModule, ZkLockTestingModule.forRoot());
    await module.get(ZkLockTesting).holdLock('order-pay:42');
    const before = log.at('error').length;
    await module.close();

    expect(log.at('error').slice(before)).toEqual([]);
  });

  it('should refuse to be imported as a class', async () => {
    const module = Test.createTestingModule({ imports: [AppModule, ZkLockTestingModule] });

    await expect(module.setLogger(log).compile()).rejects.toThrow(
      'ZkLockTestingModule is imported as a class',
    );
  });

  it.each<[unknown, string]>([
    [{ tickTme: 5 }, 'There is no option "tickTme" of ZkLockTestingModule.forRoot. Did you mean "tickTime"?'],
    [{ tickTime: 0 }, 'Option "tickTime" is 0'],
    [{ port: 1 }, 'There is no option "port"'],
    [{ host: 'localhost' }, 'There is no option "host"'],
    [{ server: null }, 'Option "server" is null; allowed are servers that TestingServer.start(…) has made.'],
    [{ server: 5 }, 'Option "server" is 5'],
    [null, 'options is null. Expected an object.'],
  ])('should refuse %j', (options, message) => {
    expect(() => ZkLockTestingModule.forRoot(options as object)).toThrow(message);
  });

  it('should refuse options beside a server', async () => {
    await using server = await TestingServer.start();
    expect(() => ZkLockTestingModule.forRoot({ server, tickTime: 5 })).toThrow(
      'the option "server" stands alone: give tickTime to its TestingServer.start(…).',
    );
  });
});
