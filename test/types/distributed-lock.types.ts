// Compiled, never run: what must not compile is marked, and the marks themselves are checked (see types.test.ts).
import { Readable } from 'node:stream';
import { applyDecorators } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { EMPTY, of, type Observable } from 'rxjs';
import { DistributedLock } from '../../lib/locking/distributed-lock.decorator.js';
import type {
  DistributedLockOptions,
  LockKeyFunction,
  LockKeySource,
} from '../../lib/locking/distributed-lock.options.js';
import { LeaderOnly } from '../../lib/locking/leader-only.decorator.js';
import { LockHandler } from '../../lib/locking/lock-handler.decorator.js';
import { lockKey } from '../../lib/locking/lock-key.js';

interface Order {
  id: string;
}

export class MayBeLocked {
  private readonly tenant = 'a';

  @DistributedLock('order-pay:<id>')
  async promise(id: string): Promise<string> {
    return id;
  }

  @DistributedLock('feed:<id>', { waitMs: 0, onBusy: 'skip' })
  observable(id: string): Observable<string> {
    return id === '' ? EMPTY : of(id);
  }

  @DistributedLock('export', { onBusy: 'skip' })
  async *generator(): AsyncGenerator<string> {
    yield this.tenant;
  }

  @DistributedLock('export')
  async *iterable(): AsyncIterable<string> {
    yield this.tenant;
  }

  @DistributedLock((order: Order) => `order-pay:${order.id}`)
  async byFunction(order: Order, amount: number): Promise<number> {
    return order.id.length + amount;
  }

  @DistributedLock(function (this: MayBeLocked, order: Order) {
    return `${this.tenant}:${order.id}`;
  })
  async byThis(order: Order): Promise<void> {
    await Promise.resolve(order);
  }

  @DistributedLock(['account:<from>', (_from: string, to: string) => lockKey('account:<to>', { to })])
  async several(from: string, to: string): Promise<void> {
    await Promise.resolve(from + to);
  }

  @DistributedLock((ids: string[]) => ids.map((id) => lockKey('order:<id>', { id })))
  async asMany(ids: string[]): Promise<void> {
    await Promise.resolve(ids);
  }

  @DistributedLock('nightly', { onBusy: 'skip', condition: (dry: boolean) => !dry })
  async skipped(dry: boolean): Promise<void> {
    await Promise.resolve(dry);
  }

  @DistributedLock('quote:<id>', { onBusy: (error, id: string) => `${id} ${error.waitedMs}` })
  async fallback(id: string): Promise<string> {
    return id;
  }

  @DistributedLock('secret')
  private async hidden(): Promise<void> {
    await Promise.resolve();
  }

  async useHidden(): Promise<void> {
    await this.hidden();
  }

  @LockHandler('order-pay:<params.id>', { condition: ({ query }) => query?.dry === undefined })
  handler(): string {
    return '';
  }
}

const Nightly = (): MethodDecorator =>
  applyDecorators(DistributedLock('nightly', { waitMs: 0, onBusy: 'skip' }), Cron('0 3 * * *'));
const Leading = () => applyDecorators(LeaderOnly('nightly'), Cron('0 3 * * *'));
const Locked = (key: string): MethodDecorator => DistributedLock(key);
const LockedWith = (key: string, given: DistributedLockOptions) => DistributedLock(key, given);
const LockedByAny = (key: LockKeySource | readonly LockKeySource[]) => DistributedLock(key, { waitMs: 1 });
const LockedBy = (key: LockKeyFunction) => DistributedLock(key, { ...options, waitMs: 1 });
const options: DistributedLockOptions = { waitMs: 0 };

export class MayBeComposed {
  @Nightly()
  async nightly(): Promise<void> {
    await Promise.resolve();
  }

  @Leading()
  async leading(): Promise<void> {
    await Promise.resolve();
  }

  @Locked('a')
  async locked(id: string): Promise<string> {
    return id;
  }

  @LockedWith('a', { waitMs: 0 })
  async lockedWith(id: string): Promise<string> {
    return id;
  }

  @LockedByAny('a')
  async lockedByAny(id: string): Promise<string> {
    return id;
  }

  @LockedBy((id: string) => id)
  async lockedBy(id: string): Promise<string> {
    return id;
  }

  @DistributedLock('a', options)
  async wide(id: string): Promise<string> {
    return id;
  }

  @DistributedLock('a', { waitMs: undefined, onBusy: undefined, condition: undefined, signal: undefined })
  async nothing(id: string): Promise<string> {
    return id;
  }
}

export class MustNotCompile {
  // @ts-expect-error composed or not, a plain value has no end
  @LockedWith('a', { waitMs: 0 })
  composedPlain(): string {
    return '';
  }

  // @ts-expect-error a property cannot be called
  @DistributedLock('a')
  property = '';

  // @ts-expect-error a plain value has no end that could be waited for
  @DistributedLock('a')
  plain(): string {
    return '';
  }

  // @ts-expect-error a Promise only now and then
  @DistributedLock('a')
  perhaps(): Promise<string> | string {
    return '';
  }

  // @ts-expect-error a stream goes on after the method has returned
  @DistributedLock('a')
  stream(): Readable {
    return Readable.from([]);
  }

  // @ts-expect-error a static method
  @DistributedLock('a')
  static async ofClass(): Promise<void> {
    await Promise.resolve();
  }

  // @ts-expect-error the key function wants an Order
  @DistributedLock((order: Order) => order.id)
  async wrongParameter(id: string): Promise<string> {
    return id;
  }

  // @ts-expect-error the key function wants more parameters than there are
  @DistributedLock((id: string, amount: number) => `${id}:${amount}`)
  async tooFew(id: string): Promise<string> {
    return id;
  }

  // @ts-expect-error one of several key functions does not fit
  @DistributedLock(['a', (id: number) => `b:${id}`])
  async oneOfSeveral(id: string): Promise<string> {
    return id;
  }

  // @ts-expect-error the key function wants another `this`
  @DistributedLock(function (this: Order) {
    return this.id;
  })
  async wrongThis(): Promise<void> {
    await Promise.resolve();
  }

  // @ts-expect-error a skipped call gives undefined, which this method may not
  @DistributedLock('a', { onBusy: 'skip' })
  async skipsToUndefined(): Promise<number> {
    return 1;
  }

  // @ts-expect-error the fallback gives what the method may not
  @DistributedLock('a', { onBusy: () => 'text' })
  async wrongFallback(): Promise<number> {
    return 1;
  }

  // @ts-expect-error the condition takes another parameter
  @DistributedLock('a', { condition: (dry: boolean) => !dry })
  async wrongCondition(id: string): Promise<string> {
    return id;
  }

  // @ts-expect-error the signal takes another parameter
  @DistributedLock('a', { signal: (signal: AbortSignal) => signal })
  async wrongSignal(id: string): Promise<string> {
    return id;
  }

  // @ts-expect-error a misspelt option
  @DistributedLock('a', { waitMS: 10 })
  async misspelt(): Promise<void> {
    await Promise.resolve();
  }

  // @ts-expect-error not an option of this kind
  @DistributedLock('a', { onBusy: 'wait' })
  async wrongValue(): Promise<void> {
    await Promise.resolve();
  }

  // @ts-expect-error a key of the wrong type
  @DistributedLock(7)
  async wrongKey(): Promise<void> {
    await Promise.resolve();
  }

  // @ts-expect-error an object that only looks like a finished key
  @DistributedLock({ text: 'a', nodeName: 'a' })
  async forgedKey(): Promise<void> {
    await Promise.resolve();
  }

  // @ts-expect-error a misspelt option
  @LockHandler('a', { waitMS: 10 })
  misspeltHandler(): string {
    return '';
  }
}
