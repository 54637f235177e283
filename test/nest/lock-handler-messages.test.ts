import { Controller, Get, Injectable, type Type } from '@nestjs/common';
import { ExternalContextCreator } from '@nestjs/core';
import { ClientProxyFactory, MessagePattern, Payload, Transport } from '@nestjs/microservices';
import { WsAdapter } from '@nestjs/platform-ws';
import { MessageBody, SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { lastValueFrom } from 'rxjs';
import { LockConfigError } from '../../lib/errors/lock-config.error.js';
import { LockHandler, type LockHandlerOptions } from '../../lib/locking/lock-handler.decorator.js';
import * as messages from '../../lib/locking/locking.messages.js';
import { currentLock } from '../../lib/recipes/lock-context.js';
import { CriticalSection } from './fixtures/critical-section.js';
import { Fleet } from './fixtures/fleet.js';
import { freePort } from './fixtures/free-port.js';
import { WsClient } from './fixtures/ws-client.js';

let fleet: Fleet;
const section = new CriticalSection();

beforeAll(async () => {
  fleet = await Fleet.start();
});
afterEach(() => fleet.closeApps());
afterAll(() => fleet[Symbol.asyncDispose]());

describe('@LockHandler on messages', () => {
  @WebSocketGateway()
  class Gateway {
    @SubscribeMessage('pay')
    @LockHandler('order-pay:<data.id>')
    async pay(@MessageBody('id') id: string): Promise<unknown> {
      await section.pass();
      return { event: 'paid', data: `${id} ${currentLock().key}` };
    }
  }

  @Controller()
  class Messages {
    @LockHandler('order-pay:<data.id>')
    @MessagePattern('pay')
    async pay(@Payload('id') id: string): Promise<string> {
      await section.pass();
      return `${id} ${currentLock().key}`;
    }
  }

  it('should lock those of a WebSocket by their data', async () => {
    const urls = await fleet.urls(
      { providers: [Gateway] },
      { prepare: (app) => void app.useWebSocketAdapter(new WsAdapter(app)) },
    );
    const clients = await Promise.all([...urls, ...urls].map((url) => WsClient.connect(url)));
    try {
      await section.expectExclusive(
        clients.map((client) => async () => {
          expect(await client.ask('pay', { id: 7 })).toEqual({ event: 'paid', data: '7 order-pay:7' });
        }),
      );
    } finally {
      for (const client of clients) client[Symbol.dispose]();
    }
  });

  it('should lock those of a microservice by their data', async () => {
    const services = await Promise.all([microservice(Messages), microservice(Messages)]);
    await section.expectExclusive(
      [...services, ...services].map(({ client }) => async () => {
        expect(await lastValueFrom(client.send<string>('pay', { id: 7 }))).toBe('7 order-pay:7');
      }),
    );
    for (const { client } of services) await client.close();
  });

  it('should refuse other kinds of context, and not run the handler', async () => {
    @Injectable()
    class Resolver {
      ran = false;
      @LockHandler('order-pay:<data.id>')
      @MessagePattern('makes it a handler')
      run(): void {
        this.ran = true;
      }
    }
    const app = await fleet.app({ providers: [Resolver] });
    const resolver = app.get(Resolver);
    const resolve = app
      .get(ExternalContextCreator)
      .create(
        resolver,
        resolver.run,
        'run',
        undefined,
        undefined,
        undefined,
        undefined,
        undefined,
        'graphql',
      );
    await expect(resolve({}, {}, {}, {})).rejects.toThrow(
      messages.contextNotSupported('Resolver.run', 'graphql'),
    );
    expect(resolver.ran).toBe(false);
  });
});

describe('@LockHandler when the application is loaded', () => {
  const route = (key: string, options?: LockHandlerOptions) => () => {
    @Controller()
    class Bad {
      @Get()
      @LockHandler(key, options)
      run(): void {
        section.enter();
      }
    }
    return Bad;
  };

  it('should refuse what is no part of the request, and name the nearest', () => {
    const parts = ['params', 'query', 'body', 'headers', 'user', 'data'];
    expect(route('order:<param.id>')).toThrow(
      messages.unknownRequestPart('Bad.run', 'param.id', parts, 'params'),
    );
    expect(route('order:{params.id}')).toThrow(
      messages.foreignPlaceholder('Bad.run', '{params.id}', 'params.id'),
    );
    expect(route('order:<id>')).toThrow(messages.unknownRequestPart('Bad.run', 'id', parts, undefined));
  });

  it('should refuse an empty key and bad options', () => {
    expect(route('')).toThrow(messages.noKeys('LockHandler', 'Bad.run'));
    expect(route('a', { waitMs: -1 })).toThrow(/Bad.run: Option "waitMs" is -1; allowed are integers from 0/);
  });

  it('should refuse static methods, and to stand on one method twice', () => {
    expect(() => {
      class Bad {
        readonly name = 'Bad';
        @LockHandler('a')
        static run(): void {
          section.enter();
        }
      }
      return Bad;
    }).toThrow(messages.staticTarget('LockHandler', 'Bad.run'));
    expect(() => {
      class Bad {
        @LockHandler('a')
        @LockHandler('b')
        run(): void {
          section.enter();
        }
      }
      return Bad;
    }).toThrow(messages.handlerLockedTwice('Bad.run'));
  });

  it('B37 should refuse to start when it stands where it would never fire', async () => {
    @Injectable()
    class Service {
      @LockHandler('a')
      run(): void {
        section.enter();
      }
    }
    const starting = fleet.app({ providers: [Service] });
    await expect(starting).rejects.toThrow(LockConfigError);
    await expect(starting).rejects.toThrow(messages.noHandler('Service.run'));
  });

  it('B37 should refuse to start when another decorator dropped its metadata', async () => {
    const Replacing = (): MethodDecorator => (_target, _name, descriptor) => {
      const method = descriptor.value as () => unknown;
      (descriptor as PropertyDescriptor).value = function (this: unknown) {
        return method.call(this);
      };
    };
    @Controller()
    class Bad {
      @Get()
      @Replacing()
      @LockHandler('a')
      run(): void {
        section.enter();
      }
    }
    await expect(fleet.app({ controllers: [Bad] })).rejects.toThrow(messages.lostHandlerLock('Bad.run'));
  });
});

async function microservice(
  controller: Type,
): Promise<{ client: ReturnType<typeof ClientProxyFactory.create> }> {
  const options = { host: '127.0.0.1', port: await freePort() };
  await fleet.app(
    { controllers: [controller] },
    {
      prepare: async (starting) => {
        starting.connectMicroservice({ transport: Transport.TCP, options }, { inheritAppConfig: true });
        await starting.startAllMicroservices();
      },
    },
  );
  return { client: ClientProxyFactory.create({ transport: Transport.TCP, options }) };
}
