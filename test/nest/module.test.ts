import { Injectable, Module, type DynamicModule, type INestApplicationContext } from '@nestjs/common';
import { ConfigModule, ConfigService } from '@nestjs/config';
import { Test } from '@nestjs/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { LockAccessError } from '../../lib/errors/lock-access.error.js';
import { isLockConfigError } from '../../lib/errors/lock-config.error.js';
import { DistributedLock } from '../../lib/locking/distributed-lock.decorator.js';
import { LockService } from '../../lib/locking/lock.service.js';
import { currentLock } from '../../lib/recipes/lock-context.js';
import { ZkConnection } from '../../lib/session/zk-connection.js';
import type { ZkLockOptionsFactory } from '../../lib/zk-lock.async-options.js';
import { InjectLockService, InjectZkConnection } from '../../lib/zk-lock.decorators.js';
import {
  ASYNC_SOURCE_INVALID,
  CONNECTION_TWICE,
  OPTION_INVALID,
  OPTION_IS_EXTRA,
  WITHOUT_FOR_ROOT,
} from '../../lib/zk-lock.messages.js';
import { ZkLockModule } from '../../lib/zk-lock.module.js';
import type { ZkLockModuleOptions } from '../../lib/zk-lock.options.js';
import { getLockServiceToken, getZkConnectionToken } from '../../lib/zk-lock.tokens.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

let server: ZooKeeperServer;
const started: INestApplicationContext[] = [];

beforeAll(async () => {
  server = await ZooKeeperServer.start();
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((app) => app.close()));
});
afterAll(() => server[Symbol.asyncDispose]());

async function start(...imports: (DynamicModule | (new () => object))[]): Promise<INestApplicationContext> {
  const app = await Test.createTestingModule({ imports }).compile();
  started.push(app);
  return app.init();
}

function options(): ZkLockModuleOptions {
  return { connectString: server.connectString };
}

async function canLock(locks: LockService): Promise<void> {
  const lock = await locks.acquire('order-pay:42');
  expect(lock.isHeld()).toBe(true);
  await lock.release();
}

@Injectable()
class Payments {
  constructor(readonly locks: LockService) {}
}

describe('ZkLockModule.forRoot', () => {
  it('should give a working LockService', async () => {
    const app = await start(ZkLockModule.forRoot(options()));
    await canLock(app.get(LockService));
  });

  it('should give one and the same instance by class and by token', async () => {
    const app = await start(ZkLockModule.forRoot(options()));
    expect(app.get(LockService)).toBe(app.get(getLockServiceToken()));
    expect(app.get(ZkConnection)).toBe(app.get(getZkConnectionToken()));
    expect(app.get(LockService, { each: true, strict: false })).toHaveLength(1);
  });

  it('should take "default" for the name of the default connection', async () => {
    const app = await start(ZkLockModule.forRoot({ ...options(), connectionName: 'default' }));
    expect(app.get(LockService)).toBe(app.get(getLockServiceToken()));
  });

  it('should be visible in every module by default', async () => {
    @Module({ providers: [Payments] })
    class PaymentsModule {}
    const app = await start(ZkLockModule.forRoot(options()), PaymentsModule);
    expect(app.get(Payments).locks).toBe(app.get(LockService));
  });

  it('should be visible only where it is imported with isGlobal: false', async () => {
    const zkLock = ZkLockModule.forRoot({ ...options(), isGlobal: false });
    @Module({ imports: [zkLock], providers: [Payments] })
    class ImportingModule {}
    const app = await start(ImportingModule, zkLock);
    expect(app.get(Payments).locks).toBe(app.get(LockService));

    @Module({ providers: [Payments] })
    class StrangerModule {}
    await expect(start(zkLock, StrangerModule)).rejects.toThrow(/can't resolve dependencies of the Payments/);
  });

  it('should keep strangers out with auth, and say that it is access that they lack', async () => {
    const auth = { scheme: 'digest', credentials: 'payments:s3cret' } as const;
    const root = '/payments';
    const mine = await start(ZkLockModule.forRoot({ ...options(), root, auth }));
    await canLock(mine.get(LockService));
    const theirs = await start(ZkLockModule.forRoot({ ...options(), root }));
    await expect(theirs.get(LockService).acquire('order-pay:42')).rejects.toThrow(LockAccessError);
    const colleague = await start(ZkLockModule.forRoot({ ...options(), root, auth }));
    await canLock(colleague.get(LockService));
  });

  it('should refuse bad options where they are written', () => {
    expect(() => ZkLockModule.forRoot({ ...options(), waitMs: -1 })).toThrow(/waitMs is -1/);
    expect(() => ZkLockModule.forRoot({ ...options(), connectionName: '' })).toThrow(/connectionName is ""/);
  });

  it('should refuse to be imported without its options', async () => {
    await expect(start(ZkLockModule)).rejects.toThrow(WITHOUT_FOR_ROOT);
    const feature = start(ZkLockModule.forRoot(options()), ZkLockModule);
    await expect(feature).rejects.toThrow(WITHOUT_FOR_ROOT);
  });

  it('should say what provides the interceptor when it is missing', async () => {
    @Injectable()
    class Orders {
      @DistributedLock('order:<id>')
      async pay(id: string): Promise<string> {
        return id;
      }
    }
    const testing = Test.createTestingModule({ providers: [Orders] }).compile();
    await expect(testing).rejects.toThrow(/dependencies of the Orders.* ZkLockModule\.forRoot\(…\) provides/);
  });

  it('should refuse options that are no object', () => {
    for (const make of [ZkLockModule.forRoot, ZkLockModule.forRootAsync] as ((
      given?: unknown,
    ) => unknown)[]) {
      expect(() => make()).toThrow(OPTION_INVALID('options', 'undefined', 'an object'));
      expect(() => make(null)).toThrow(OPTION_INVALID('options', 'null', 'an object'));
    }
  });

  it('should refuse a second connection of the same name', async () => {
    const twice = start(ZkLockModule.forRoot(options()), ZkLockModule.forRoot(options()));
    await expect(twice).rejects.toThrow(CONNECTION_TWICE(undefined));
    const billing = { ...options(), connectionName: 'billing' };
    await expect(start(ZkLockModule.forRoot(billing), ZkLockModule.forRoot(billing))).rejects.toThrow(
      CONNECTION_TWICE('billing'),
    );
  });
});

describe('ZkLockModule.forRootAsync', () => {
  let madeFactories = 0;

  @Injectable()
  class LockOptions implements ZkLockOptionsFactory {
    constructor() {
      madeFactories += 1;
    }

    createZkLockOptions(): Promise<ZkLockModuleOptions> {
      return Promise.resolve(options());
    }
  }

  @Module({ providers: [LockOptions], exports: [LockOptions] })
  class LockOptionsModule {}

  it('should take the options from a factory, with what it injects', async () => {
    const config = ConfigModule.forRoot({
      ignoreEnvFile: true,
      load: [() => ({ ZK: server.connectString })],
    });
    const app = await start(
      ZkLockModule.forRootAsync({
        imports: [config],
        inject: [ConfigService],
        useFactory: (c) => ({ connectString: c.getOrThrow<string>('ZK') }),
      }),
    );
    await canLock(app.get(LockService));
  });

  it('should take the options from a class', async () => {
    const app = await start(ZkLockModule.forRootAsync({ useClass: LockOptions }));
    await canLock(app.get(LockService));
  });

  it('should take the options from a provider that exists, without a second instance of it', async () => {
    madeFactories = 0;
    const app = await start(
      LockOptionsModule,
      ZkLockModule.forRootAsync({ imports: [LockOptionsModule], useExisting: LockOptions }),
    );
    await canLock(app.get(LockService));
    expect(madeFactories).toBe(1);
  });

  it('should take name and visibility beside the factory', async () => {
    const zkLock = ZkLockModule.forRootAsync({
      useFactory: options,
      connectionName: 'billing',
      isGlobal: false,
    });
    expect(zkLock.global).toBe(false);
    const app = await start(zkLock);
    await canLock(app.get<LockService>(getLockServiceToken('billing')));
    expect(() => app.get(LockService)).toThrow(/could not find LockService/);
  });

  it.each(['isGlobal', 'connectionName'])('should refuse %s in the result of the factory', async (extra) => {
    const useFactory = (): ZkLockModuleOptions => ({ ...options(), [extra]: 'x' });
    await expect(start(ZkLockModule.forRootAsync({ useFactory }))).rejects.toThrow(OPTION_IS_EXTRA(extra));
  });

  it('should refuse bad options from the factory', async () => {
    const useFactory = (): ZkLockModuleOptions => ({ ...options(), sessionTimeoutMs: 10 });
    const failure: unknown = await start(ZkLockModule.forRootAsync({ useFactory })).catch(
      (error: unknown) => error,
    );
    expect(isLockConfigError(failure)).toBe(true);
    expect(String(failure)).toMatch(/sessionTimeoutMs is 10\. Expected an integer from 1000 to/);
  });

  it('should refuse no source of options, and two', () => {
    expect(() => ZkLockModule.forRootAsync({})).toThrow(ASYNC_SOURCE_INVALID([]));
    expect(() => ZkLockModule.forRootAsync({ useFactory: options, useClass: LockOptions })).toThrow(
      ASYNC_SOURCE_INVALID(['useFactory', 'useClass']),
    );
  });
});

describe('Several connections', () => {
  @Injectable()
  class Ledger {
    constructor(
      readonly locks: LockService,
      @InjectLockService() readonly sameLocks: LockService,
      @InjectLockService('billing') readonly billing: LockService,
      @InjectZkConnection('billing') readonly connection: ZkConnection,
    ) {}
  }

  @Module({ providers: [Ledger] })
  class LedgerModule {}

  it('should keep named connections apart, each with a session and a root of its own', async () => {
    const app = await start(
      ZkLockModule.forRoot(options()),
      ZkLockModule.forRootAsync({
        useFactory: () => ({ ...options(), root: '/billing' }),
        connectionName: 'billing',
      }),
      LedgerModule,
    );
    const { locks, sameLocks, billing, connection } = app.get(Ledger);
    expect(sameLocks).toBe(locks);
    expect(billing).not.toBe(locks);
    expect(connection.info().sessionId).not.toBe(app.get(ZkConnection).info().sessionId);

    await using mine = await locks.acquire('invoice:1');
    await using other = await billing.acquire('invoice:1', { waitMs: 0 });
    expect([mine.path, other.path]).toEqual(['/locks/invoice:1', '/billing/invoice:1']);
    expect([locks.stats().held, billing.stats().held]).toEqual([1, 1]);
  });

  it('should let a decorated method choose its connection, also one that is not global', async () => {
    @Injectable()
    class Invoices {
      @DistributedLock('invoice:<id>', { connection: 'billing' })
      async send(id: string): Promise<string> {
        return `${id} ${currentLock().path}`;
      }
    }
    @Module({ providers: [Invoices] })
    class InvoicesModule {}
    const billing = { ...options(), root: '/billing', connectionName: 'billing', isGlobal: false };
    const app = await start(ZkLockModule.forRoot(billing), InvoicesModule);
    await expect(app.get(Invoices).send('7')).resolves.toBe('7 /billing/invoice:7');
  });

  it('should exclude each other on the same root', async () => {
    const app = await start(
      ZkLockModule.forRoot(options()),
      ZkLockModule.forRoot({ ...options(), connectionName: 'billing' }),
    );
    await using _held = await app.get(LockService).acquire('invoice:2');
    await expect(
      app.get<LockService>(getLockServiceToken('billing')).tryAcquire('invoice:2'),
    ).resolves.toBeNull();
  });
});
