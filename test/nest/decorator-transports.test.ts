import { Controller, Injectable, ParseIntPipe, type INestApplication } from '@nestjs/common';
import { ExternalContextCreator } from '@nestjs/core';
import { ClientProxyFactory, MessagePattern, Payload, Transport } from '@nestjs/microservices';
import { WsAdapter } from '@nestjs/platform-ws';
import { Cron, ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { MessageBody, SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { lastValueFrom } from 'rxjs';
import { DistributedLock } from '../../lib/locking/distributed-lock.decorator.js';
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

describe('@DistributedLock and @Cron', () => {
  const FOREVER_AWAY = '0 0 29 2 *';

  @Injectable()
  class Nightly {
    readonly ran: string[] = [];

    @DistributedLock('nightly-above', { waitMs: 0, onBusy: 'skip', minHoldMs: 60_000 })
    @Cron(FOREVER_AWAY, { name: 'above', waitForCompletion: true })
    async above(): Promise<void> {
      await section.pass();
      this.ran.push(currentLock().key);
    }

    @Cron(FOREVER_AWAY, { name: 'below', waitForCompletion: true })
    @DistributedLock('nightly-below', { waitMs: 0, onBusy: 'skip', minHoldMs: 60_000 })
    async below(): Promise<void> {
      await section.pass();
      this.ran.push(currentLock().key);
    }
  }

  it.each([['above'], ['below']])(
    'B42 should run a job once per fleet with the lock %s, also on a host that fires a moment later',
    async (name) => {
      const apps = await Promise.all(
        [1, 2, 3].map(() =>
          fleet.app({ imports: [ScheduleModule.forRoot()], providers: [Nightly] }, { shutdownGraceMs: 0 }),
        ),
      );
      const fire = async (app: INestApplication): Promise<void> => {
        await app.get(SchedulerRegistry).getCronJob(name).fireOnTick();
      };
      await Promise.all(apps.map(fire));
      for (const app of apps) await fire(app);
      expect(apps.flatMap((app) => app.get(Nightly).ran)).toEqual([`nightly-${name}`]);
    },
  );
});

describe('@DistributedLock in a WebSocket gateway', () => {
  @WebSocketGateway()
  class OrdersGateway {
    @DistributedLock('order-pay:<id>')
    @SubscribeMessage('above')
    async above(@MessageBody('id', ParseIntPipe) id: number): Promise<unknown> {
      await section.pass();
      return { event: 'paid', data: `${currentLock().key} ${typeof id}` };
    }

    @SubscribeMessage('below')
    @DistributedLock('order-pay:<order.id>')
    async below(@MessageBody() order: { id: string }): Promise<unknown> {
      await section.pass();
      return { event: 'paid', data: `${currentLock().key} ${order.id}` };
    }
  }

  it('should lock messages in either order of decorators', async () => {
    const urls = await fleet.urls(
      { providers: [OrdersGateway] },
      { prepare: (app) => void app.useWebSocketAdapter(new WsAdapter(app)) },
    );
    const clients = await Promise.all([...urls, ...urls].map((url) => WsClient.connect(url)));
    try {
      await section.expectExclusive(
        clients.map((client, index) => async () => {
          const event = index < 2 ? 'above' : 'below';
          const last = index < 2 ? 'number' : '7';
          expect(await client.ask(event, { id: '7' })).toEqual({
            event: 'paid',
            data: `order-pay:7 ${last}`,
          });
        }),
      );
    } finally {
      for (const client of clients) client[Symbol.dispose]();
    }
  });
});

describe('@DistributedLock and @MessagePattern', () => {
  @Controller()
  class OrdersController {
    @DistributedLock('order-pay:<id>')
    @MessagePattern('above')
    async above(@Payload('id', ParseIntPipe) id: number): Promise<string> {
      await section.pass();
      return `${currentLock().key} ${typeof id}`;
    }

    @MessagePattern('below')
    @DistributedLock('order-pay:<order.id>')
    async below(@Payload() order: { id: string }): Promise<string> {
      await section.pass();
      return `${currentLock().key} ${order.id}`;
    }
  }

  it('should lock messages in either order of decorators', async () => {
    const clients = await Promise.all(
      [1, 2].map(async () => {
        const options = { host: '127.0.0.1', port: await freePort() };
        await fleet.app(
          { controllers: [OrdersController] },
          {
            prepare: async (app) => {
              app.connectMicroservice({ transport: Transport.TCP, options }, { inheritAppConfig: true });
              await app.startAllMicroservices();
            },
          },
        );
        return ClientProxyFactory.create({ transport: Transport.TCP, options });
      }),
    );
    try {
      await section.expectExclusive(
        ['above', 'below'].flatMap((pattern) =>
          clients.map((client) => async () => {
            const answer = await lastValueFrom(client.send<string>(pattern, { id: '7' }));
            expect(answer).toBe(`order-pay:7 ${pattern === 'above' ? 'number' : '7'}`);
          }),
        ),
      );
    } finally {
      for (const client of clients) await client.close();
    }
  });
});

describe('@DistributedLock in a resolver', () => {
  const ARGS = '__routeArguments__';

  /** What `@Args(name)` of @nestjs/graphql leaves behind. */
  const Args =
    (data: string): ParameterDecorator =>
    (target, method, index) => {
      const others = Reflect.getMetadata(ARGS, target.constructor, method!) as object | undefined;
      Reflect.defineMetadata(
        ARGS,
        { ...others, [`3:${index}`]: { index, data, pipes: [] } },
        target.constructor,
        method!,
      );
    };

  @Injectable()
  class OrdersResolver {
    @DistributedLock('order-pay:<orderId>')
    async pay(@Args('orderId') id: string, @Args('amount') amount: number): Promise<string> {
      await section.pass();
      return `${currentLock().key} ${id} ${amount}`;
    }
  }

  it('should lock a field that is resolved by the external context, as GraphQL does', async () => {
    const apps = await Promise.all([1, 2].map(() => fleet.app({ providers: [OrdersResolver] })));
    const fields = apps.map((app) => {
      const resolver = app.get(OrdersResolver);
      return app.get(ExternalContextCreator).create(
        resolver,
        resolver.pay as (...args: unknown[]) => unknown,
        'pay',
        ARGS,
        {
          exchangeKeyForValue: (_type: number, name: unknown, [, args]: unknown[]) =>
            (args as Record<string, unknown>)[name as string],
        },
        undefined,
        undefined,
        undefined,
        'graphql',
      ) as (...args: unknown[]) => Promise<string>;
    });
    await section.expectExclusive(
      [...fields, ...fields].map((resolve) => async () => {
        expect(await resolve({}, { orderId: '7', amount: 5 }, {}, {})).toBe('order-pay:7 7 5');
      }),
    );
  });
});
