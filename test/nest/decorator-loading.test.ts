import type { Type } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { LockConfigError } from '../../lib/errors/lock-config.error.js';
import { LockKeyError } from '../../lib/errors/lock-key.error.js';
import { DistributedLock } from '../../lib/locking/distributed-lock.decorator.js';
import { LeaderOnly } from '../../lib/locking/leader-only.decorator.js';
import * as messages from '../../lib/locking/locking.messages.js';
import { CriticalSection } from './fixtures/critical-section.js';

const section = new CriticalSection();

describe('@DistributedLock when the class is loaded', () => {
  const load = (make: () => Type): (() => Type) => make;

  it('should refuse static methods', () => {
    const loading = load(() => {
      class Bad {
        readonly name = 'Bad';
        // @ts-expect-error a static method
        @DistributedLock('a')
        static async run(): Promise<void> {
          await section.pass();
        }
      }
      return Bad;
    });
    expect(loading).toThrow(LockConfigError);
    expect(loading).toThrow(messages.staticTarget('DistributedLock', 'Bad.run'));
  });

  it.each([[''], [[]], [['a', '']], [undefined], [7]])('should refuse %j as a key', (key) => {
    const loading = load(() => {
      class Bad {
        @DistributedLock(key as string)
        async run(): Promise<void> {
          await section.pass();
        }
      }
      return Bad;
    });
    expect(loading).toThrow(LockKeyError);
    expect(loading).toThrow(messages.noKeys('DistributedLock', 'Bad.run'));
  });

  it('should refuse a placeholder that is no parameter, and name the nearest', () => {
    const loading = load(() => {
      class Bad {
        @DistributedLock('order:<ordrId>')
        async run(orderId: string, amount: number): Promise<void> {
          await Promise.resolve([orderId, amount]);
        }
      }
      return Bad;
    });
    expect(loading).toThrow(
      messages.unknownPlaceholder('Bad.run', 'ordrId', ['orderId', 'amount'], 'orderId'),
    );
    expect(loading).toThrow(/Did you mean <orderId>\?/);
  });

  it.each([
    ['order:{id}', '{id}', 'id'],
    ['order:${ order.id }', '${ order.id }', 'order.id'],
    ['order:#{id}', '#{id}', 'id'],
    ['order:{{id}}', '{id}', 'id'],
    ['order-pay:id', ':id', 'id'],
    ['/orders/:id/pay', ':id', 'id'],
  ])('should refuse the key %s, which another library would fill in', (key, written, placeholder) => {
    const loading = load(() => {
      class Bad {
        @DistributedLock(key)
        async run(id: string, order: { id: string }): Promise<void> {
          await Promise.resolve([id, order]);
        }
      }
      return Bad;
    });
    expect(loading).toThrow(LockKeyError);
    expect(loading).toThrow(messages.foreignPlaceholder('Bad.run', written, placeholder));
  });

  it.each(['order:{other}', 'order-pay:ids', 'id', 'order:<id>:{id}', 'a:b{}'])(
    'should take the key %s as it stands',
    (key) => {
      class Good {
        @DistributedLock(key)
        async run(id: string): Promise<void> {
          await Promise.resolve(id);
        }
      }
      expect(Good.name).toBe('Good');
    },
  );

  it.each([null, 'fast', 7, []])('should refuse %j as options', (options) => {
    for (const decorate of [DistributedLock, LeaderOnly] as ((
      key: string,
      given: object,
    ) => MethodDecorator)[]) {
      const loading = load(() => {
        class Bad {
          @decorate('a', options as object)
          async run(): Promise<void> {
            await section.pass();
          }
        }
        return Bad;
      });
      expect(loading).toThrow(LockConfigError);
      expect(loading).toThrow(messages.badOptions('Bad.run', options));
    }
  });

  it.each([
    ['waitMs', -1, 'an integer from 0 to 2147483647 (ms)'],
    ['waitMs', '3s', 'an integer from 0 to 2147483647 (ms)'],
    ['attemptMs', 0, 'an integer from 1 to 2147483647 (ms)'],
    ['minHoldMs', NaN, 'an integer from 0 to 2147483647 (ms)'],
    ['reentrant', 'no', 'true or false'],
    ['metadata', 'text', 'an object'],
    ['connection', '', 'a non-empty string'],
    ['onBusy', 'wait', "'throw', 'skip' or a function"],
    ['onLost', 'retry', "'throw', 'abort' or 'ignore'"],
    ['condition', true, 'a function'],
    ['signal', new AbortController().signal, 'a function'],
  ])('should refuse %s: %j, and say what is allowed', (name, value, allowed) => {
    const loading = load(() => {
      class Bad {
        @DistributedLock('a', { [name]: value } as object)
        async run(): Promise<void> {
          await section.pass();
        }
      }
      return Bad;
    });
    expect(loading).toThrow(LockConfigError);
    expect(loading).toThrow(messages.badOption('Bad.run', name, value, allowed));
  });

  it('should refuse an option that does not exist, and name the nearest', () => {
    const loading = load(() => {
      class Bad {
        @DistributedLock('a', { waitMS: 5 } as object)
        async run(): Promise<void> {
          await section.pass();
        }
      }
      return Bad;
    });
    expect(loading).toThrow(/there is no option "waitMS"\. Did you mean "waitMs"\?/);
  });

  it('should refuse a generator that is not async', () => {
    const loading = load(() => {
      class Bad {
        // @ts-expect-error a generator cannot wait
        @DistributedLock('a')
        *run(): Generator<number> {
          yield 1;
        }
      }
      return Bad;
    });
    expect(loading).toThrow(messages.syncGenerator('Bad.run'));
  });
});
