import { setImmediate as turn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { isLockKeyError } from '../../lib/errors/lock-key.error.js';
import { isLockTimeoutError } from '../../lib/errors/lock-timeout.error.js';
import { DistributedLock } from '../../lib/locking/distributed-lock.decorator.js';
import { lockKey } from '../../lib/locking/lock-key.js';
import { LockService } from '../../lib/locking/lock.service.js';
import * as messages from '../../lib/locking/locking.messages.js';
import type { HeldLock } from '../../lib/recipes/held-lock.js';
import { currentLock } from '../../lib/recipes/lock-context.js';
import { CriticalSection } from './fixtures/critical-section.js';
import { Fleet } from './fixtures/fleet.js';

let fleet: Fleet;
let jobs: Jobs;
let locks: LockService;
const section = new CriticalSection();

interface Order {
  id?: string | null;
  buyer?: { id: unknown };
}

@Injectable()
class Jobs {
  runs = 0;
  readonly tenant = 'acme';

  @DistributedLock('order-pay:<order.id>')
  async changing(order: Order): Promise<HeldLock> {
    order.id = 'changed';
    await turn();
    return currentLock();
  }

  @DistributedLock('order-pay:<id>')
  async byId(id: unknown): Promise<string> {
    this.runs += 1;
    return `${typeof id} ${currentLock().path}`;
  }

  @DistributedLock('buyer:<order.buyer.id>')
  async byBuyer(order: Order): Promise<string> {
    this.runs += 1;
    return `${order.id ?? ''} ${currentLock().path}`;
  }

  @DistributedLock(function (this: Jobs, order: Order) {
    return [`${this.tenant}/${order.id ?? ''}`, lockKey('order-pay:<id>', { id: order.id })];
  })
  async byFunction(order: Order): Promise<string> {
    return `${order.id ?? ''} under ${currentLock().key}`;
  }

  @DistributedLock('outer')
  async outer(): Promise<string> {
    return this.inner();
  }

  @DistributedLock('outer')
  async inner(): Promise<string> {
    await section.pass();
    return currentLock().key;
  }

  @DistributedLock('outer', { reentrant: false, waitMs: 1_500 })
  async strict(): Promise<void> {
    await turn();
  }

  @DistributedLock('outer')
  async callsStrict(): Promise<void> {
    await this.strict();
  }

  @DistributedLock('outer')
  async siblings(): Promise<void> {
    await section.expectExclusive([() => this.inner(), () => this.inner(), () => this.inner()]);
  }

  /** Not awaited, so that it outlives the lock of its caller. */
  straggler: Promise<string> | undefined;
  goOn: () => void = () => undefined;

  @DistributedLock('outer')
  async leavesStraggler(): Promise<void> {
    const gate = new Promise<void>((resolve) => (this.goOn = resolve));
    this.straggler = gate.then(() => this.inner());
    await turn();
  }
}

beforeAll(async () => {
  fleet = await Fleet.start();
});
beforeEach(async () => {
  const app = await fleet.app({ providers: [Jobs] });
  jobs = app.get(Jobs);
  locks = (await fleet.app({})).get(LockService);
});
afterEach(() => fleet.closeApps());
afterAll(() => fleet[Symbol.asyncDispose]());

describe('Keys of calls', () => {
  it('B38 should compute the key once, before the method can change its arguments', async () => {
    const lock = await jobs.changing({ id: '42' });
    expect(lock.key).toBe('order-pay:42');
    expect(lock.state).toBe('released');
    await fleet.untilFree('order-pay:42');
    expect(await fleet.admin.exists('/locks/order-pay:changed')).toBe(false);
  });

  it.each([[undefined], [null], [''], [NaN], [{}], [new Date(0)], [['1']]])(
    'B39 should refuse %p as a value, name the placeholder and not run the method',
    async (id) => {
      const error = await jobs.byId(id).catch((caught: unknown) => caught);
      expect(isLockKeyError(error)).toBe(true);
      expect(error).toMatchObject({ message: messages.placeholderValue('order-pay:<id>', 'id', id) });
      expect(jobs.runs).toBe(0);
    },
  );

  it('B39 should refuse a missing property on the way', async () => {
    await expect(jobs.byBuyer({})).rejects.toThrow(
      messages.placeholderValue('buyer:<order.buyer.id>', 'order.buyer.id', undefined),
    );
    await expect(jobs.byBuyer(undefined as never)).rejects.toThrow(/<order\.buyer\.id>/);
    expect(jobs.runs).toBe(0);
    expect(await jobs.byBuyer({ buyer: { id: 7n } })).toBe(' /locks/buyer:7');
  });

  it.each([['a/b'], ['..'], ['x:y'], ['ü 😀'], ['\u0001'], ['100%']])(
    'B40 B41 should lock %j by the very node that lockKey() names',
    async (id) => {
      const { nodeName } = lockKey('order-pay:<id>', { id });
      expect(await jobs.byId(id)).toBe(`string /locks/${nodeName}`);
      const holder = await locks.acquire(lockKey('order-pay:<id>', { id }));
      const waiting = jobs.byId(id);
      await fleet.admin.waitForChildren(`/locks/${nodeName}`, 2);
      await holder.release();
      await waiting;
    },
  );

  it('B40 should encode the plain results of key functions, and leave finished keys alone', async () => {
    expect(await jobs.byFunction({ id: 'a:b' })).toBe('a:b under acme/a:b, order-pay:a:b');
    expect(await fleet.admin.children('/locks')).toEqual(
      expect.arrayContaining(['acme%2Fa:b', 'order-pay:a%3Ab']),
    );
  });
});

describe('Methods that call each other', () => {
  it('should enter the same lock again', async () => {
    expect(await jobs.outer()).toBe('outer');
  });

  it('should not with reentrant: false', async () => {
    const error = await jobs.callsStrict().catch((caught: unknown) => caught);
    expect(isLockTimeoutError(error)).toBe(true);
  });

  it('B35 should exclude two branches inside one hold from each other', async () => {
    await jobs.siblings();
  });

  it('B35 should not let a task that was not awaited believe in the lock of its caller', async () => {
    await jobs.leavesStraggler();
    const holder = await locks.acquire('outer');
    jobs.goOn();
    await fleet.admin.waitForChildren('/locks/outer', 2);
    await holder.release();
    expect(await jobs.straggler).toBe('outer');
  });
});
