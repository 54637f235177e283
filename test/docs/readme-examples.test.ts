// Runs examples of README.md as they stand there, against a real ZooKeeper.
import type { INestApplicationContext, ModuleMetadata, Type } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { LockService, ZkLockModule } from 'nestjs-zk-lock';
import { DataSource } from 'typeorm';
import { CapturedLog } from '../nest/captured-log.js';
import { waitFor } from '../support/wait-for.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';
import { ExampleFolder } from './example-folder.js';
import { MarkdownPage } from './markdown.js';

interface Payer {
  pay(id: string): Promise<unknown>;
}
type Exports<Name extends string> = Record<Name, Type<Payer>>;

const readme = new MarkdownPage('README.md');
const examples = new ExampleFolder(readme);

let server: ZooKeeperServer;
let app: INestApplicationContext | undefined;

beforeAll(async () => {
  server = await ZooKeeperServer.start();
  process.env.ZK_CONNECT = server.connectString;
});
afterEach(async () => {
  await app?.close();
  app = undefined;
});
afterAll(async () => {
  delete process.env.ZK_CONNECT;
  await server[Symbol.asyncDispose]();
  examples[Symbol.dispose]();
});

async function start(metadata: ModuleMetadata): Promise<INestApplicationContext> {
  app = await Test.createTestingModule(metadata).setLogger(new CapturedLog()).compile();
  return app.init();
}

describe('Quick start of README.md', () => {
  const [, part = ''] = /^## Quick start$([^]*?)^## /m.exec(readme.text) ?? [];

  it('should take three steps in under 40 lines', () => {
    const { blocks } = new MarkdownPage('README.md', part);
    expect(blocks.map(({ file }) => file)).toEqual(['app.module.ts', 'orders.service.ts', 'main.ts']);
    expect(blocks.flatMap(({ code }) => code.trim().split('\n')).length).toBeLessThan(40);
  });

  it('should lock', async () => {
    const { AppModule } = (await examples.load('app.module.ts')) as Exports<'AppModule'>;
    const { OrdersService } = (await examples.load('orders.service.ts')) as Exports<'OrdersService'>;
    const context = await start({ imports: [AppModule] });
    const locks = context.get(LockService);
    const orders = context.get(OrdersService);

    const held = await locks.acquire('order-pay:42');
    const paying = orders.pay('42');
    await waitFor(() => locks.stats().waiting === 1);
    await expect(orders.pay('43')).resolves.toBe('order 43 is paid');
    await held.release();
    await expect(paying).resolves.toBe('order 42 is paid');
  });
});

describe('Fencing with TypeORM in README.md', () => {
  it('should pay, and refuse to pay when a newer holder has been there', async () => {
    const { Order, PaymentsService } = (await examples.load('payments.service.ts')) as Exports<
      'Order' | 'PaymentsService'
    >;
    const context = await start({
      imports: [
        ZkLockModule.forRoot({ connectString: server.connectString }),
        TypeOrmModule.forRoot({
          type: 'better-sqlite3',
          database: ':memory:',
          entities: [Order],
          synchronize: true,
          prepareDatabase: (db: { defaultSafeIntegers(on: boolean): void }) => db.defaultSafeIntegers(true),
        }),
        TypeOrmModule.forFeature([Order]),
      ],
      providers: [PaymentsService],
    });
    const orders = context
      .get(DataSource)
      .getRepository<{ id: string; status: string; fencingToken: bigint }>(Order);
    const newest = 2n ** 62n;
    await orders.insert([
      { id: '1', status: 'open', fencingToken: 0n },
      { id: '2', status: 'open', fencingToken: newest },
    ]);

    await context.get(PaymentsService).pay('1');
    const paid = await orders.findOneByOrFail({ id: '1' });
    expect(paid.status).toBe('paid');
    expect(paid.fencingToken).toBeGreaterThan(0n);

    await expect(context.get(PaymentsService).pay('2')).rejects.toThrow(
      'A newer holder of the lock has been here',
    );
    expect(await orders.findOneByOrFail({ id: '2' })).toEqual({
      id: '2',
      status: 'open',
      fencingToken: newest,
    });
  });
});
