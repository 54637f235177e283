import type { Type } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { LockConfigError } from '../../lib/errors/lock-config.error.js';
import { LockKeyError } from '../../lib/errors/lock-key.error.js';
import { DistributedLock } from '../../lib/locking/distributed-lock.decorator.js';
import { LeaderOnly } from '../../lib/locking/leader-only.decorator.js';
import { LockHandler } from '../../lib/locking/lock-handler.decorator.js';
import { shown } from '../../lib/errors/shown.js';
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
      expect(loading).toThrow(messages.at('Bad.run', `options is ${shown(options)}. Expected an object.`));
    }
  });

  it.each([
    ['waitMs', -1, 'integers from 0 to 2147483647 (milliseconds)'],
    ['waitMs', '3s', 'integers from 0 to 2147483647 (milliseconds)'],
    ['attemptMs', 0, 'integers from 1 to 2147483647 (milliseconds)'],
    ['minHoldMs', NaN, 'integers from 0 to 2147483647 (milliseconds)'],
    ['reentrant', 'no', 'true and false'],
    ['metadata', 'text', 'objects'],
    ['connection', '', 'non-empty strings'],
    ['onBusy', 'wait', "'throw', 'skip' and functions"],
    ['onLost', 'retry', "'throw' and 'abort' and 'ignore'"],
    ['condition', true, 'functions'],
    ['signal', new AbortController().signal, 'functions'],
    ['permits', 0, 'integers from 1 to 2147483647'],
    ['permits', 2 ** 31, 'integers from 1 to 2147483647'],
    ['permits', '3', 'integers from 1 to 2147483647'],
    ['stripes', 65_537, 'integers from 1 to 65536'],
    ['mode', 'shared', "'read' and 'write'"],
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
    expect(loading).toThrow(
      messages.at('Bad.run', `Option "${name}" is ${shown(value)}; allowed are ${allowed}.`),
    );
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
    expect(loading).toThrow(/There is no option "waitMS"\. Did you mean "waitMs"\?/);
  });

  describe.each([
    ['DistributedLock', DistributedLock],
    ['LockHandler', LockHandler],
  ] as [string, (key: unknown, options?: object) => MethodDecorator][])('@%s', (_name, decorate) => {
    const loading = (key: unknown, options?: object) => () => {
      class Bad {
        @decorate(key, options)
        async run(_id: string): Promise<void> {
          await section.pass();
        }
      }
      return Bad;
    };
    /** The cause, not just any refusal. */
    const expectRefusal = (load: () => unknown, message: string | RegExp, type = LockConfigError): void => {
      expect(load).toThrow(type);
      expect(load).toThrow(message);
    };

    it('should refuse what would be two kinds of lock', () => {
      expectRefusal(loading('a', { mode: 'read', permits: 2 }), messages.twoKinds('Bad.run'));
      expectRefusal(loading([{ key: 'a', mode: 'read' }], { permits: 2 }), messages.twoKinds('Bad.run'));
      expectRefusal(loading(['a', 'b'], { permits: 2 }), messages.permitsOfSeveral('Bad.run'));
      expectRefusal(loading(['a', () => 'b'], { permits: 2 }), messages.permitsOfSeveral('Bad.run'));
      expect(loading(['a'], { permits: 2 })).not.toThrow();
      expect(loading('a', { mode: 'read', permits: undefined })).not.toThrow();
    });

    it('should refuse a lock that would end before it may be given back', () => {
      const options = { minHoldMs: 2, maxHoldMs: 1 };
      expectRefusal(
        loading('a', options),
        /Bad\.run: Option "minHoldMs" is 2, which is more than "maxHoldMs" \(1\)/,
      );
      expect(loading('a', { minHoldMs: 2, maxHoldMs: 2 })).not.toThrow();
    });

    it('should refuse an entry with a property that would mean nothing, and show the right form', () => {
      expectRefusal(
        loading([{ path: '/a', mode: 'read' }]),
        /A lock path is \{ path \} and nothing else.*mode would be ignored/,
      );
      expectRefusal(loading([{ path: '/a', mode: 'read' }]), /\{ key: \{ path: '\/a' \}, mode: 'read' \}/);
      expectRefusal(loading({ path: '/a', permits: 2 }), /permits would be ignored/);
      expectRefusal(loading([{ key: 'b', mod: 'read' }]), /"mod" of a key in a list\. Did you mean "mode"\?/);
      expectRefusal(
        loading([{ key: 'b', mode: 'shared' }]),
        /"mode" is 'shared'; allowed are 'read' and 'write'/,
      );
      expectRefusal(
        loading([{ key: { path: '/a', mode: 'read' } }]),
        /A lock path is \{ path \} and nothing else.*mode would be ignored/,
      );
    });

    it.each([[null], [{}], [[null]], [[{ key: undefined }]], [[{ key: '' }]], [[{ key: 7 }]], [[['a']]]])(
      'should refuse the key %j',
      (key) => {
        expect(loading(key)).toThrow(LockKeyError);
        expect(loading(key)).toThrow(/key/);
      },
    );

    it.each(['', 'relative', '/', '/a//b', '/zookeeper/quota', 7, undefined])(
      'should refuse the path %p',
      (path) => {
        for (const key of [{ path }, [{ key: { path } }], [{ key: { path }, mode: 'read' }]]) {
          expect(loading(key)).toThrow(/The path .* cannot be a lock's/);
        }
      },
    );

    it('should refuse to stripe a path', () => {
      expect(loading({ path: '/a' }, { stripes: 2 })).toThrow(/Bad\.run: The path '\/a' cannot be striped/);
      expect(loading(['b', { key: { path: '/a' } }], { stripes: 2 })).toThrow(/cannot be striped/);
    });
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
