// Compiled, never run: see types.test.ts. Kinds of lock, paths and modes in the decorators and the service.
import { of, type Observable } from 'rxjs';
import { DistributedLock } from '../../lib/locking/distributed-lock.decorator.js';
import { LeaderOnly } from '../../lib/locking/leader-only.decorator.js';
import { LockHandler } from '../../lib/locking/lock-handler.decorator.js';
import { lockKey } from '../../lib/locking/lock-key.js';
import type { LockOptions, LockService } from '../../lib/locking/lock.service.js';

interface Order {
  id: string;
}

export class MayBeLocked {
  private readonly root = '/curator';

  @DistributedLock({ path: '/curator/orders' })
  async path(): Promise<void> {
    await Promise.resolve();
  }

  @DistributedLock(function (this: MayBeLocked, order: Order) {
    return { path: `${this.root}/${order.id}` };
  })
  async pathOf(order: Order): Promise<void> {
    await Promise.resolve(order);
  }

  @DistributedLock([
    { key: 'account:<from>', mode: 'read' },
    { key: { path: '/curator/rates' }, mode: 'write' },
    { key: (_from: string, to: string) => lockKey('account:<to>', { to }), mode: 'read' },
    { key: lockKey('all') },
    { path: '/curator/audit' },
    (from: string) => [{ key: from, mode: 'write' }, { path: '/curator/x' }, from],
    'plain:<to>',
  ])
  async mixed(from: string, to: string): Promise<void> {
    await Promise.resolve(from + to);
  }

  @DistributedLock(['a'], { permits: 2 })
  async permitOfOne(): Promise<void> {
    await Promise.resolve();
  }

  @DistributedLock(['a', 'b'], { mode: 'read', permits: undefined })
  async readers(): Promise<void> {
    await Promise.resolve();
  }

  @LockHandler([
    { key: 'prices:<params.tenant>', mode: 'read' },
    { key: { path: '/curator/rates' }, mode: 'write' },
    ({ params }) => ({ path: `/curator/${String(params?.id)}` }),
  ])
  handler(): string {
    return '';
  }

  @LockHandler({ path: '/curator/orders' }, { permits: 2 })
  handlerOfPath(): string {
    return '';
  }

  @LeaderOnly('leader')
  async leads(): Promise<number | undefined> {
    return 1;
  }

  @LeaderOnly({ path: '/curator/leader' }, { onSuspended: 'step-down', onLost: 'abort' })
  async leadsByPath(): Promise<void> {
    await Promise.resolve();
  }

  @LeaderOnly(lockKey('leader'))
  observable(): Observable<number> {
    return of(1);
  }

  @LeaderOnly('leader')
  async *generator(): AsyncGenerator<number> {
    yield 1;
  }
}

export class MustNotCompile {
  // @ts-expect-error two kinds of lock
  @DistributedLock('a', { mode: 'read', permits: 2 })
  async twoKinds(): Promise<void> {
    await Promise.resolve();
  }

  // @ts-expect-error several keys cannot be one semaphore
  @DistributedLock(['a', 'b'], { permits: 2 })
  async permitsOfSeveral(): Promise<void> {
    await Promise.resolve();
  }

  // @ts-expect-error there is no such mode
  @DistributedLock([{ key: 'a', mode: 'shared' }])
  async noSuchMode(): Promise<void> {
    await Promise.resolve();
  }

  // @ts-expect-error the key function of an entry wants an Order
  @DistributedLock([{ key: (order: Order) => order.id, mode: 'read' }])
  async wrongParameter(id: string): Promise<string> {
    return id;
  }

  // @ts-expect-error one entry of several does not fit
  @DistributedLock(['a', { key: (id: number) => `b:${id}` }])
  async oneOfSeveral(id: string): Promise<string> {
    return id;
  }

  // @ts-expect-error a path is a text
  @DistributedLock({ path: 7 })
  async wrongPath(): Promise<void> {
    await Promise.resolve();
  }

  // @ts-expect-error a single key has its mode in the options
  @DistributedLock({ key: 'a', mode: 'read' })
  async entryWithoutList(): Promise<void> {
    await Promise.resolve();
  }

  // @ts-expect-error the function gives no keys
  @DistributedLock((id: string) => id.length)
  async noKeys(id: string): Promise<string> {
    return id;
  }

  // @ts-expect-error two kinds of lock
  @LockHandler('a', { mode: 'read', permits: 2 })
  handlerOfTwoKinds(): string {
    return '';
  }

  // @ts-expect-error there is no such mode
  @LockHandler([{ key: 'a', mode: 'shared' }])
  handlerOfNoSuchMode(): string {
    return '';
  }

  // @ts-expect-error a skipped call gives undefined, which this method may not
  @LeaderOnly('leader')
  async leads(): Promise<number> {
    return 1;
  }

  // @ts-expect-error a plain value has no end
  @LeaderOnly('leader')
  plain(): string | undefined {
    return '';
  }

  // @ts-expect-error a static method
  @LeaderOnly('leader')
  static async ofClass(): Promise<void> {
    await Promise.resolve();
  }

  // @ts-expect-error the key must be known before the first call
  @LeaderOnly(() => 'leader')
  async keyFunction(): Promise<void> {
    await Promise.resolve();
  }

  // @ts-expect-error no option of @LeaderOnly
  @LeaderOnly('leader', { waitMs: 1 })
  async waits(): Promise<void> {
    await Promise.resolve();
  }

  // @ts-expect-error no such policy
  @LeaderOnly('leader', { onSuspended: 'panic' })
  async panics(): Promise<void> {
    await Promise.resolve();
  }
}

export const options: LockOptions[] = [
  { mode: 'read' },
  { permits: 2 },
  { stripes: 8, permits: 2, waitMs: 0 },
];
// @ts-expect-error two kinds of lock
export const twoKinds: LockOptions = { mode: 'read', permits: 2 };

export async function byHand(locks: LockService): Promise<void> {
  await locks.withLock(
    ['a', { path: '/b' }, { key: 'c', mode: 'read' }, { key: { path: '/d' }, mode: 'write' }],
    () => 1,
  );
  // @ts-expect-error two kinds of lock
  await locks.acquire('a', { mode: 'read', permits: 2 });
  // @ts-expect-error two kinds of lock
  await locks.withLock('a', () => 1, { mode: 'write', permits: 2 });
}
