import {
  Controller,
  Get,
  Injectable,
  Param,
  Query,
  Res,
  UseFilters,
  type ArgumentsHost,
} from '@nestjs/common';
import { APP_FILTER, ExternalContextCreator, HttpAdapterHost } from '@nestjs/core';
import { ClientProxyFactory, MessagePattern, Transport } from '@nestjs/microservices';
import { WsAdapter } from '@nestjs/platform-ws';
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { lastValueFrom } from 'rxjs';
import { LockAbortedError } from '../../lib/errors/lock-aborted.error.js';
import { LockAccessError } from '../../lib/errors/lock-access.error.js';
import { LockConfigError } from '../../lib/errors/lock-config.error.js';
import { LockConnectionError } from '../../lib/errors/lock-connection.error.js';
import { LockKeyError } from '../../lib/errors/lock-key.error.js';
import { LockLostError } from '../../lib/errors/lock-lost.error.js';
import { LockNotHeldError } from '../../lib/errors/lock-not-held.error.js';
import { LockSequenceError } from '../../lib/errors/lock-sequence.error.js';
import { LockShutdownError } from '../../lib/errors/lock-shutdown.error.js';
import { LockTimeoutError } from '../../lib/errors/lock-timeout.error.js';
import { LockUpgradeError } from '../../lib/errors/lock-upgrade.error.js';
import type { ZkLockError } from '../../lib/errors/zk-lock.error.js';
import { DistributedLock } from '../../lib/locking/distributed-lock.decorator.js';
import { LockExceptionFilter } from '../../lib/locking/lock-exception.filter.js';
import { LockHandler } from '../../lib/locking/lock-handler.decorator.js';
import { LockService } from '../../lib/locking/lock.service.js';
import * as messages from '../../lib/locking/locking.messages.js';
import type { HeldLock } from '../../lib/recipes/held-lock.js';
import { CapturedLog } from './captured-log.js';
import { Fleet } from './fixtures/fleet.js';
import { freePort } from './fixtures/free-port.js';
import { WsClient } from './fixtures/ws-client.js';

const SECRET = 'secret-host pid 123';

const ERRORS: Record<string, ZkLockError> = {
  busy: new LockTimeoutError(SECRET, { waitedMs: 0, holder: SECRET }),
  waited: new LockTimeoutError(SECRET, { waitedMs: 2_100 }),
  long: new LockTimeoutError(SECRET, { waitedMs: 600_000 }),
  unreachable: new LockConnectionError(SECRET),
  shutdown: new LockShutdownError(SECRET),
  aborted: new LockAbortedError(SECRET),
  lost: new LockLostError(SECRET, { reason: 'session-lost' }),
  key: new LockKeyError(SECRET),
  access: new LockAccessError(SECRET),
  config: new LockConfigError(SECRET),
  sequence: new LockSequenceError(SECRET),
  upgrade: new LockUpgradeError(SECRET),
  notHeld: new LockNotHeldError(SECRET),
};

@Controller('fails')
class FailsController {
  @Get('with/:name')
  fail(@Param('name') name: string): never {
    throw ERRORS[name]!;
  }

  @Get('late')
  late(@Res() response: { write(text: string): void }): never {
    response.write('half of the answer');
    throw ERRORS.busy!;
  }

  @Get('order')
  @LockHandler('order:<query.id>', { waitMs: 0 })
  order(@Query('id') id: string): string {
    return id;
  }

  @MessagePattern('pay')
  @DistributedLock('order:1', { waitMs: 0 })
  async pay(): Promise<string> {
    return 'paid';
  }
}

@WebSocketGateway()
@UseFilters(LockExceptionFilter)
class Gateway {
  @SubscribeMessage('pay')
  @DistributedLock('order:1', { waitMs: 0 })
  async pay(): Promise<string> {
    return 'paid';
  }
}

@Injectable()
class Resolver {
  @DistributedLock('order:1', { waitMs: 0 })
  async pay(): Promise<string> {
    return 'paid';
  }
}

let fleet: Fleet;

beforeAll(async () => {
  fleet = await Fleet.start();
});
afterEach(() => fleet.closeApps());
afterAll(() => fleet[Symbol.asyncDispose]());

const busy = { status: 'error', message: messages.httpBusy(), code: 'ZK_LOCK_TIMEOUT' };

describe('LockExceptionFilter on HTTP', () => {
  let url: string;
  let locks: LockService;
  let log: CapturedLog;
  beforeEach(async () => {
    log = new CapturedLog(LockExceptionFilter.name);
    const app = await fleet.app(
      { controllers: [FailsController] },
      {
        logger: log,
        prepare: (starting) =>
          void starting.useGlobalFilters(new LockExceptionFilter(starting.get(HttpAdapterHost))),
      },
    );
    await app.listen(0, '127.0.0.1');
    url = await app.getUrl();
    locks = app.get(LockService);
  });

  it.each([
    ['busy', 423, 'Locked', messages.httpBusy(), '1'],
    ['waited', 423, 'Locked', messages.httpBusy(), '3'],
    ['long', 423, 'Locked', messages.httpBusy(), '30'],
    ['unreachable', 503, 'Service Unavailable', messages.httpUnavailable(), '1'],
    ['shutdown', 503, 'Service Unavailable', messages.httpUnavailable(), '1'],
    ['aborted', 503, 'Service Unavailable', messages.httpUnavailable(), '1'],
    ['lost', 503, 'Service Unavailable', messages.httpLost(), '1'],
    ['key', 400, 'Bad Request', messages.httpBadKey(), null],
    ['access', 500, 'Internal Server Error', messages.httpInternal(), null],
    ['config', 500, 'Internal Server Error', messages.httpInternal(), null],
    ['sequence', 500, 'Internal Server Error', messages.httpInternal(), null],
    ['upgrade', 500, 'Internal Server Error', messages.httpInternal(), null],
    ['notHeld', 500, 'Internal Server Error', messages.httpInternal(), null],
  ])(
    'should answer %s with %d %s and tell no secrets',
    async (name, statusCode, error, message, retryAfter) => {
      const response = await fetch(`${url}/fails/with/${name}`);
      expect(response.status).toBe(statusCode);
      expect(response.headers.get('retry-after')).toBe(retryAfter);
      expect(await response.json()).toEqual({ statusCode, error, message, code: ERRORS[name]!.code });
    },
  );

  it.each([
    ['busy', 'debug'],
    ['key', 'warn'],
    ['unreachable', 'error'],
    ['access', 'error'],
  ] as const)('should log %s at %s, with what the client is not told', async (name, level) => {
    await fetch(`${url}/fails/with/${name}`);
    expect(log.at(level)).toEqual([SECRET]);
  });

  it('should answer for a lock that really is busy, and for a value that is not there', async () => {
    await using holder = await locks.acquire('order:1');
    const response = await fetch(`${url}/fails/order?id=1`);
    expect([response.status, response.headers.get('retry-after')]).toEqual([423, '1']);
    expect((await fetch(`${url}/fails/order`)).status).toBe(400);
    await holder.release();
    expect((await fetch(`${url}/fails/order?id=1`)).status).toBe(200);
  });

  it('should end an answer that has begun', async () => {
    const response = await fetch(`${url}/fails/late`);
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('half of the answer');
  });
});

describe('LockExceptionFilter elsewhere', () => {
  const filter = { provide: APP_FILTER, useClass: LockExceptionFilter };
  let holder: HeldLock;
  beforeEach(async () => {
    holder = await (await fleet.app({})).get(LockService).acquire('order:1');
  });

  it('should send an exception event over a WebSocket, which stays open', async () => {
    const [url] = await fleet.urls(
      { providers: [Gateway] },
      { prepare: (app) => void app.useWebSocketAdapter(new WsAdapter(app)) },
    );
    using client = await WsClient.connect(url);
    expect(await client.ask('pay', {})).toEqual({ event: 'exception', data: busy });
    expect(await client.ask('pay', {})).toEqual({ event: 'exception', data: busy });
    await holder.release();
  });

  it('should emit that event to a Socket.IO client', () => {
    const emitted: unknown[] = [];
    const client = { emit: (...event: unknown[]) => emitted.push(event) };
    const host = { getType: () => 'ws', switchToWs: () => ({ getClient: () => client }) };
    new LockExceptionFilter(new HttpAdapterHost()).catch(ERRORS.busy!, host as unknown as ArgumentsHost);
    expect(emitted).toEqual([['exception', busy]]);
  });

  it('should give the caller of a microservice an error with the code', async () => {
    const options = { host: '127.0.0.1', port: await freePort() };
    await fleet.app(
      { controllers: [FailsController], providers: [filter] },
      {
        prepare: async (app) => {
          app.connectMicroservice({ transport: Transport.TCP, options }, { inheritAppConfig: true });
          await app.startAllMicroservices();
        },
      },
    );
    const client = ClientProxyFactory.create({ transport: Transport.TCP, options });
    await expect(lastValueFrom(client.send('pay', {}))).rejects.toEqual(busy);
    await client.close();
  });

  it('should pass the error on in other contexts', async () => {
    const app = await fleet.app({ providers: [Resolver, filter] });
    const resolver = app.get(Resolver);
    const resolve = app
      .get(ExternalContextCreator)
      .create(
        resolver,
        resolver.pay,
        'pay',
        undefined,
        undefined,
        undefined,
        undefined,
        undefined,
        'graphql',
      );
    await expect(resolve({}, {}, {}, {})).rejects.toBeInstanceOf(LockTimeoutError);
  });
});
