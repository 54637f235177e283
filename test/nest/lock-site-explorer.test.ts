import { Injectable, type Provider } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Observable, of } from 'rxjs';
import { DistributedLock } from '../../lib/locking/distributed-lock.decorator.js';
import { LockSiteExplorer } from '../../lib/locking/lock-site-explorer.js';
import * as messages from '../../lib/locking/locking.messages.js';
import { currentLock } from '../../lib/recipes/lock-context.js';
import { ZkLockModule } from '../../lib/zk-lock.module.js';
import { CapturedLog } from './captured-log.js';
import { Fleet } from './fixtures/fleet.js';

let fleet: Fleet;

beforeAll(async () => {
  fleet = await Fleet.start();
});
afterEach(() => fleet.closeApps());
afterAll(() => fleet[Symbol.asyncDispose]());

@Injectable()
class Orders {
  @DistributedLock('a')
  async pay(): Promise<string> {
    return currentLock().key;
  }

  @DistributedLock('b')
  observable(): Observable<number> {
    return of(1);
  }

  @DistributedLock('c')
  async *generator(): AsyncGenerator<number> {
    yield 1;
  }

  @DistributedLock('d')
  annotated(): Promise<void> {
    return Promise.resolve();
  }
}

async function explore(providers: Provider[]): Promise<{ warnings: string[]; count: number }> {
  const logger = new CapturedLog();
  const app = await fleet.app({ providers }, { logger });
  return { warnings: logger.at('warn'), count: app.get(LockSiteExplorer).countOf() };
}

describe('Lock sites at start-up', () => {
  it('should be counted once per connection, whatever inherits them', async () => {
    @Injectable()
    class Special extends Orders {
      @DistributedLock('invoice', { connection: 'second' })
      async invoice(): Promise<string> {
        return currentLock().key;
      }
    }
    const second = ZkLockModule.forRoot({
      connectString: fleet.server.connectString,
      connectionName: 'second',
      sessionTimeoutMs: 6_000,
    });
    const logger = new CapturedLog();
    const app = await fleet.app(
      { imports: [second], providers: [Orders, Special, { provide: 'alias', useExisting: Orders }] },
      { logger },
    );
    const sites = app.get(LockSiteExplorer);
    expect([sites.countOf(), sites.countOf('default'), sites.countOf('second')]).toEqual([4, 4, 1]);
    expect(logger.at('warn')).toEqual([]);
  });

  it('should warn for an override that lost its lock', async () => {
    @Injectable()
    class Careless extends Orders {
      override async pay(): Promise<string> {
        return 'without';
      }
    }
    @Injectable()
    class Grandchild extends Careless {}
    const { warnings } = await explore([Careless, Grandchild]);
    expect(warnings).toEqual([messages.lostOverride('Careless.pay', 'Orders.pay')]);
  });

  it('should warn when an override between drops it', async () => {
    class Between extends Orders {
      override async pay(): Promise<string> {
        return 'without';
      }
    }
    @Injectable()
    class Last extends Between {
      override async pay(): Promise<string> {
        return super.pay();
      }
    }
    const { warnings } = await explore([Last]);
    expect(warnings).toEqual([messages.lostOverride('Between.pay', 'Orders.pay')]);
  });

  it('should not warn for an override that calls super or is locked itself', async () => {
    @Injectable()
    class Calling extends Orders {
      override async pay(): Promise<string> {
        return super.pay();
      }
    }
    @Injectable()
    class Locked extends Orders {
      @DistributedLock('own')
      override async pay(): Promise<string> {
        return currentLock().key;
      }
    }
    const { warnings, count } = await explore([Calling, Locked]);
    expect(warnings).toEqual([]);
    expect(count).toBe(5);
  });

  it('should warn for a method whose kind of result is only guessed', async () => {
    @Injectable()
    class Unannotated {
      @DistributedLock('a')
      observable() {
        return of(1);
      }

      @DistributedLock('b')
      iterable(): AsyncIterable<number> {
        return new Orders().generator();
      }
    }
    const { warnings } = await explore([Unannotated]);
    expect(warnings).toEqual([
      messages.returnTypeUnknown('Unannotated.observable'),
      messages.returnTypeUnknown('Unannotated.iterable'),
    ]);
  });

  it('should warn for objects that Nest did not construct', async () => {
    const { warnings } = await explore([{ provide: Orders, useFactory: () => new Orders() }]);
    expect(warnings).toEqual([messages.notInjected('Orders')]);
  });

  it('should not stumble over odd providers', async () => {
    const odd: object = Object.create(null) as object;
    const { warnings, count } = await explore([
      { provide: 'null', useValue: null },
      { provide: 'text', useValue: 'text' },
      { provide: 'odd', useValue: odd },
      { provide: 'arrow', useFactory: () => () => undefined },
    ]);
    expect({ warnings, count }).toEqual({ warnings: [], count: 0 });
  });
});
