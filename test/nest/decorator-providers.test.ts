import { Injectable, Scope } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { LockConfigError } from '../../lib/errors/lock-config.error.js';
import { DistributedLock } from '../../lib/locking/distributed-lock.decorator.js';
import { LockService } from '../../lib/locking/lock.service.js';
import * as messages from '../../lib/locking/locking.messages.js';
import { currentLock } from '../../lib/recipes/lock-context.js';
import { ZkLockModule } from '../../lib/zk-lock.module.js';
import { getLockServiceToken } from '../../lib/zk-lock.tokens.js';
import { CapturedLog } from './captured-log.js';
import { CriticalSection } from './fixtures/critical-section.js';
import { Fleet } from './fixtures/fleet.js';

let fleet: Fleet;
const section = new CriticalSection();

beforeAll(async () => {
  fleet = await Fleet.start();
});
afterEach(() => fleet.closeApps());
afterAll(() => fleet[Symbol.asyncDispose]());

@Injectable()
class Orders {
  @DistributedLock('order-pay:<_id>')
  async pay(_id: string, amount: number): Promise<string> {
    await section.pass();
    return `${currentLock().key} ${amount}`;
  }

  /** Through `this`, and through a private method. */
  async payAll(ids: string[]): Promise<string[]> {
    return Promise.all([...ids.map((id) => this.pay(id, 0)), this.hidden()]);
  }

  @DistributedLock('hidden')
  private async hidden(): Promise<string> {
    return currentLock().key;
  }
}

/** As many callers in each of two applications, all at once. */
const callers = <T>(twins: readonly T[], call: (twin: T) => Promise<unknown>): (() => Promise<unknown>)[] =>
  twins.flatMap((twin) => Array.from({ length: 5 }, () => () => call(twin)));

describe('@DistributedLock on a provider', () => {
  it('should lock a singleton across applications, and leave no node behind', async () => {
    const twins = await fleet.twins(Orders);
    await section.expectExclusive(callers(twins, (orders) => orders.pay('42', 5)));
    await fleet.untilFree('order-pay:42');
    expect(await twins[0].pay('7', 5)).toBe('order-pay:7 5');
  });

  it.each([
    ['request-scoped', Scope.REQUEST],
    ['transient', Scope.TRANSIENT],
  ])('should lock a %s provider', async (_name, scope) => {
    @Injectable({ scope })
    class ScopedOrders extends Orders {}
    const twins = await fleet.twins(ScopedOrders);
    await section.expectExclusive(callers(twins, (orders) => orders.pay('42', 5)));
  });

  it('should lock calls through this, of private methods too', async () => {
    const [orders] = await fleet.twins(Orders);
    expect(await orders.payAll(['1', '2'])).toEqual(['order-pay:1 0', 'order-pay:2 0', 'hidden']);
  });

  it('should tell those who wait what the lock is taken for', async () => {
    @Injectable()
    class Curious {
      constructor(private readonly locks: LockService) {}
      @DistributedLock('curious', { metadata: { team: 'billing' } })
      async ask(): Promise<unknown> {
        return this.locks.contenders('curious');
      }
    }
    const [curious] = await fleet.twins(Curious);
    expect(await curious.ask()).toMatchObject([
      { state: 'holding', purpose: 'Curious.ask', metadata: { team: 'billing' }, mine: true },
    ]);
  });

  it('should lock several keys, all or nothing and without deadlock', async () => {
    @Injectable()
    class Accounts {
      @DistributedLock(['account:<_from>', 'account:<_to>'])
      async transfer(_from: string, _to: string): Promise<string[]> {
        await section.pass();
        return [...currentLock().fencingTokens.keys()].toSorted();
      }
    }
    const [here, there] = await fleet.twins(Accounts);
    await section.expectExclusive([
      ...callers([here], (accounts) => accounts.transfer('a', 'b')),
      ...callers([there], (accounts) => accounts.transfer('b', 'a')),
    ]);
    expect(await here.transfer('b', 'a')).toEqual(['account:a', 'account:b']);
  });

  it('should use the connection that it names', async () => {
    @Injectable()
    class Billing {
      @DistributedLock('invoice', { connection: 'billing' })
      async bill(): Promise<string> {
        return currentLock().path;
      }
    }
    const billing = ZkLockModule.forRoot({
      connectString: fleet.server.connectString,
      connectionName: 'billing',
      root: '/billing',
    });
    const app = await fleet.app({ imports: [billing], providers: [Billing] });
    expect(await app.get(Billing).bill()).toBe('/billing/invoice');
    expect(app.get<LockService>(getLockServiceToken('billing'))).toBeInstanceOf(LockService);
  });

  it('should refuse to start with a connection that does not exist', async () => {
    @Injectable()
    class Billing {
      @DistributedLock('invoice', { connection: 'biling' })
      async bill(): Promise<void> {
        await section.pass();
      }
    }
    await expect(fleet.app({ providers: [Billing] })).rejects.toThrow(
      messages.noSuchConnection('Billing.bill', 'biling'),
    );
  });
});

describe('@DistributedLock and inheritance', () => {
  it('should lock inherited methods and those called by super', async () => {
    @Injectable()
    class Inheriting extends Orders {}
    @Injectable()
    class Calling extends Orders {
      override async pay(id: string, amount: number): Promise<string> {
        return `super: ${await super.pay(id, amount)}`;
      }
    }
    const inheriting = await fleet.twins(Inheriting);
    const calling = await fleet.twins(Calling);
    await section.expectExclusive(
      callers<Orders>([...inheriting, ...calling], (orders) => orders.pay('42', 1)),
    );
    expect(await calling[0].pay('7', 1)).toBe('super: order-pay:7 1');
  });

  it('should lock an override by its own key, and the super method in it by its own', async () => {
    @Injectable()
    class Both extends Orders {
      @DistributedLock('outer:<0>')
      override async pay(id: string, amount: number): Promise<string> {
        const own = currentLock().key;
        return `${own} > ${await super.pay(id, amount)}`;
      }
    }
    const [both] = await fleet.twins(Both);
    expect(await both.pay('7', 1)).toBe('outer:7 > order-pay:7 1');
  });

  it('should take both locks of a method that is decorated twice', async () => {
    class Twice {
      @DistributedLock('outer:<id>')
      @DistributedLock('inner:<id>')
      async run(id: string): Promise<string[]> {
        return [currentLock(`outer:${id}`).key, currentLock().key];
      }
    }
    const [twice] = await fleet.twins(Twice);
    expect(await twice.run('1')).toEqual(['outer:1', 'inner:1']);
  });
});

describe('B37 @DistributedLock where it cannot lock', () => {
  @Injectable()
  class Careful {
    ran = 0;
    @DistributedLock('careful', { waitMs: 1_500 })
    async run(): Promise<void> {
      this.ran += 1;
      await section.pass();
    }
  }

  it.each<[string, { useFactory: () => Careful } | { useValue: Careful }]>([
    ['useFactory', { useFactory: () => new Careful() }],
    ['useValue', { useValue: new Careful() }],
  ])('should refuse the calls of a provider made by %s, and not run the method', async (_name, made) => {
    const log = new CapturedLog();
    const app = await fleet.app({ providers: [{ provide: Careful, ...made }] }, { logger: log });
    const careful = app.get(Careful);
    const call = careful.run();
    await expect(call).rejects.toThrow(LockConfigError);
    await expect(call).rejects.toThrow(messages.interceptorMissing('Careful.run'));
    expect(careful.ran).toBe(0);
    expect(log.at('warn')).toEqual([messages.notInjected('Careful')]);
  });

  it('should refuse calls of an object that Nest never saw, and of a method without its object', async () => {
    const careful = new Careful();
    const { run } = careful;
    await expect(careful.run()).rejects.toThrow(messages.interceptorMissing('Careful.run'));
    await expect(run.call(undefined as never)).rejects.toThrow(messages.interceptorMissing('Careful.run'));
    expect(careful.ran).toBe(0);
  });

  it('should work for aliases and for classes given by useClass', async () => {
    const ALIAS = 'alias';
    const app = await fleet.app({
      providers: [
        { provide: Careful, useClass: Careful },
        { provide: ALIAS, useExisting: Careful },
      ],
    });
    await app.get<Careful>(ALIAS).run();
    expect(app.get(Careful).ran).toBe(1);
  });

  it('should not run the method when ZooKeeper is gone', async () => {
    const [careful] = await fleet.twins(Careful);
    await fleet.withoutServer(() =>
      expect(careful.run()).rejects.toMatchObject({ code: 'ZK_LOCK_CONNECTION' }),
    );
    expect(careful.ran).toBe(0);
  });
});
