import { Param } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { LockKeyError } from '../../lib/errors/lock-key.error.js';
import { DistributedLock } from '../../lib/locking/distributed-lock.decorator.js';
import { LockKey } from '../../lib/locking/lock-key.js';
import * as messages from '../../lib/locking/locking.messages.js';
import { currentLock } from '../../lib/recipes/lock-context.js';
import { Fleet } from './fixtures/fleet.js';

let fleet: Fleet;

beforeAll(async () => {
  fleet = await Fleet.start();
});
afterEach(() => fleet.closeApps());
afterAll(() => fleet[Symbol.asyncDispose]());

describe('Names of parameters', () => {
  it('should be what @LockKey says, before all others', async () => {
    class Named {
      @DistributedLock('order:<id>:<1>')
      async run(@LockKey('id') @Param('other') a: string, @Param('id') b: string): Promise<string> {
        return `${currentLock().key} ${a} ${b}`;
      }
    }
    const [named] = await fleet.twins(Named);
    expect(await named.run('x', 'y')).toBe('order:x:y x y');
  });

  it('should be refused when they could be two', () => {
    expect(() => {
      class Ambiguous {
        @DistributedLock('order:<id>')
        async run(@Param('id') orderId: string, id: string): Promise<string> {
          return orderId + id;
        }
      }
      return Ambiguous;
    }).toThrow(messages.ambiguousPlaceholder('Ambiguous.run', 'id', [0, 1]));
  });

  it.each([[''], ['0'], ['a.b'], ['a>'], ['a b'], [undefined]])(
    'should be refused by @LockKey when %j',
    (name) => {
      expect(() => LockKey(name!)).toThrow(LockKeyError);
    },
  );

  it('should be hidden by a decorator below that hides the signature, until positions are used', async () => {
    const Hiding = (): MethodDecorator => (_target, _name, descriptor) => {
      const method = descriptor.value as (...args: unknown[]) => unknown;
      (descriptor as PropertyDescriptor).value = function (this: unknown, ...args: unknown[]) {
        return method.apply(this, args);
      };
    };
    expect(() => {
      class Hidden {
        @DistributedLock('order:<id>')
        @Hiding()
        async run(id: string): Promise<string> {
          return id;
        }
      }
      return Hidden;
    }).toThrow(messages.unknownPlaceholder('Hidden.run', 'id', ['args'], undefined));
    class Positioned {
      @DistributedLock('order:<0>:<name>')
      @Hiding()
      async run(id: string, @LockKey('name') name: string): Promise<string> {
        return `${id} ${name} ${currentLock().key}`;
      }
    }
    const [positioned] = await fleet.twins(Positioned);
    expect(await positioned.run('1', 'n')).toBe('1 n order:1:n');
  });

  it('should reach into destructured parameters and the rest', async () => {
    class Destructuring {
      @DistributedLock('a:<id>:<city>:<others.1>')
      async run({ id, address: { town: city } }: Customer, ...others: string[]): Promise<string> {
        return `${id} ${city} ${others.join()} ${currentLock().key}`;
      }
    }
    interface Customer {
      id: number;
      address: { town: string };
    }
    const [destructuring] = await fleet.twins(Destructuring);
    expect(await destructuring.run({ id: 7, address: { town: 'Gdynia' } }, 'x', 'y')).toBe(
      '7 Gdynia x,y a:7:Gdynia:y',
    );
  });
});
