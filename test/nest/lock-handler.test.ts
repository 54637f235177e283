import { get } from 'node:http';
import {
  Body,
  Controller,
  Get,
  NotFoundException,
  Param,
  ParseIntPipe,
  Post,
  Sse,
  UseGuards,
  UseInterceptors,
  type CanActivate,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { defaultIfEmpty, map, NEVER, Observable, Subject, takeUntil } from 'rxjs';
import { DistributedLock } from '../../lib/locking/distributed-lock.decorator.js';
import type { LockRequest } from '../../lib/locking/handler-request.js';
import { LockHandler } from '../../lib/locking/lock-handler.decorator.js';
import { LockService } from '../../lib/locking/lock.service.js';
import { currentLock } from '../../lib/recipes/lock-context.js';
import { waitFor } from '../support/wait-for.js';
import { CriticalSection } from './fixtures/critical-section.js';
import { Fleet } from './fixtures/fleet.js';

let fleet: Fleet;
const section = new CriticalSection();

class Known implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    context.switchToHttp().getRequest<{ user: object }>().user = { id: 'u1' };
    return true;
  }
}

const ticks = new Subject<number>();

@Controller('orders')
class OrdersController {
  @Post(':id/pay')
  @LockHandler('order-pay:<params.id>')
  async pay(@Param('id', ParseIntPipe) id: number): Promise<unknown> {
    await section.pass();
    return { id, key: currentLock().key };
  }

  @LockHandler(['user:<user.id>', 'body:<body.order.id>:<query.q>:<headers.x-tenant>'])
  @Post('parts')
  @UseGuards(Known)
  parts(@Body() body: object): unknown {
    return { body, key: currentLock().key };
  }

  @LockHandler([
    { key: 'prices:<params.tenant>', mode: 'read' },
    { key: ({ params }) => ({ path: `/curator/${String(params?.tenant)}` }), mode: 'write' },
    { path: '/curator/all' },
  ])
  @Get('mixed/:tenant')
  mixed(): unknown {
    return { keys: [...currentLock().fencingTokens.keys()] };
  }

  @LockHandler({ path: '/curator/orders' }, { mode: 'read' })
  @Get('path')
  path(): unknown {
    return { path: currentLock().path, mode: currentLock().mode };
  }

  @LockHandler((request: LockRequest) => `by-function:${String(request.params?.id)}`)
  @Get('function/:id')
  byFunction(@Param('id') id: string): unknown {
    return { id, key: currentLock().key };
  }

  /** Both: by the request, then by what the pipes made of it. */
  @Get('both/:id')
  @LockHandler('raw:<params.id>')
  @DistributedLock('piped:<id>')
  async both(@Param('id', ParseIntPipe) id: number): Promise<unknown> {
    return { id, raw: currentLock(`raw:0${id}`).key, piped: currentLock().key };
  }

  @Get('missing/:id')
  @LockHandler('order:<params.id>')
  missing(@Param('id') id: string): unknown {
    throw new NotFoundException(`no order ${id}`);
  }

  @Get('skipped')
  @LockHandler('busy', { waitMs: 0, onBusy: 'skip' })
  skipped(): unknown {
    return { ran: true };
  }

  @Get('instead')
  @LockHandler('busy', { waitMs: 0, onBusy: (error, { query }) => ({ busy: error.key, q: query?.q }) })
  instead(): unknown {
    return { ran: true };
  }

  @Get('unlocked')
  @LockHandler('busy', { waitMs: 0, condition: ({ query }) => query?.dry !== 'true' })
  unlocked(): unknown {
    return { ran: true };
  }

  @Sse('ticks')
  @LockHandler('ticks')
  ticks(): Observable<object> {
    const { key } = currentLock(); // what is emitted from outside knows no lock
    return ticks.pipe(map((tick) => ({ data: { tick, key } })));
  }
}

async function send(url: string, init: RequestInit = {}): Promise<{ status: number; body: unknown }> {
  const response = await fetch(url, init);
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

beforeAll(async () => {
  fleet = await Fleet.start();
});
afterEach(() => fleet.closeApps());
afterAll(() => fleet[Symbol.asyncDispose]());

describe('@LockHandler on routes', () => {
  let urls: [string, string];
  let locks: LockService;
  beforeEach(async () => {
    urls = await fleet.urls({ controllers: [OrdersController] });
    locks = (await fleet.app({})).get(LockService);
  });

  it('should lock by the request across applications', async () => {
    await section.expectExclusive(
      [0, 1, 0, 1].map((index) => async () => {
        const { status, body } = await send(`${urls[index]!}/orders/7/pay`, { method: 'POST' });
        expect({ status, body }).toEqual({ status: 201, body: { id: 7, key: 'order-pay:7' } });
      }),
    );
    await fleet.untilFree('order-pay:7');
  });

  it('should lock before the pipes, by what came', async () => {
    expect(await send(`${urls[0]}/orders/seven/pay`, { method: 'POST' })).toMatchObject({ status: 400 });
    expect(await fleet.admin.exists('/locks/order-pay:seven')).toBe(true);
  });

  it('should read every part of the request, the user that a guard found too', async () => {
    const { body } = await send(`${urls[0]}/orders/parts?q=a:b`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'X-Tenant': 'acme' },
      body: JSON.stringify({ order: { id: 7 } }),
    });
    expect(body).toEqual({ body: { order: { id: 7 } }, key: 'user:u1, body:7:a:b:acme' });
  });

  it('should answer a request without the value, without having run the handler', async () => {
    expect(await send(`${urls[0]}/orders/parts`, { method: 'POST' })).toMatchObject({ status: 500 });
  });

  it('should take functions of the request', async () => {
    expect(await send(`${urls[0]}/orders/function/7`)).toMatchObject({ body: { key: 'by-function:7' } });
  });

  it('should take paths, and several keys each in its own mode', async () => {
    expect(await send(`${urls[0]}/orders/path`)).toMatchObject({
      body: { path: '/curator/orders', mode: 'read' },
    });
    const reader = await locks.acquire('prices:acme', { mode: 'read' });
    const { body } = await send(`${urls[0]}/orders/mixed/acme`); // a reader beside a reader
    expect((body as { keys: string[] }).keys.sort()).toEqual([
      '/curator/acme',
      '/curator/all',
      'prices:acme',
    ]);
    await reader.release();
    for (const lock of [
      locks.readWriteLock('prices:acme').write,
      locks.readWriteLock({ path: '/curator/acme' }).read,
      locks.mutex({ path: '/curator/all' }),
    ]) {
      await using held = await lock.acquire();
      const answer = send(`${urls[1]}/orders/mixed/acme`);
      await waitFor(async () => (await lock.contenders()).length === 2);
      await held.release();
      expect(await answer).toMatchObject({ status: 200 });
    }
  });

  it('should go together with @DistributedLock', async () => {
    expect(await send(`${urls[0]}/orders/both/07`)).toMatchObject({
      body: { id: 7, raw: 'raw:07', piped: 'piped:7' },
    });
  });

  it('should leave the errors of the handler as they are, and release', async () => {
    expect(await send(`${urls[0]}/orders/missing/1`)).toMatchObject({
      status: 404,
      body: { message: 'no order 1' },
    });
    await fleet.untilFree('order:1');
  });

  it('should answer with nothing, or with what a function gives, when it is busy', async () => {
    await using holder = await locks.acquire('busy');
    expect(await send(`${urls[0]}/orders/skipped`)).toEqual({ status: 200, body: undefined });
    expect(await send(`${urls[0]}/orders/instead?q=1`)).toEqual({
      status: 200,
      body: { busy: 'busy', q: '1' },
    });
    expect(await send(`${urls[0]}/orders/unlocked?dry=true`)).toMatchObject({ body: { ran: true } });
    expect(await send(`${urls[0]}/orders/unlocked`)).toMatchObject({ status: 500 });
    await holder.release();
    expect(await send(`${urls[0]}/orders/skipped`)).toMatchObject({ body: { ran: true } });
  });

  it('should hold the lock of a stream until its reader has gone', async () => {
    let text = '';
    const request = get(`${urls[0]}/orders/ticks`, (response) => {
      response.on('data', (chunk) => (text += String(chunk)));
    });
    request.on('error', () => undefined); // it is cut on purpose
    await waitFor(() => ticks.observed);
    ticks.next(1);
    await waitFor(() => text.includes('{"tick":1,"key":"ticks"}'));
    expect(await fleet.contenders('ticks')).toHaveLength(1);
    request.destroy();
    await fleet.admin.waitForChildren('/locks/ticks', 0);
    expect(ticks.observed).toBe(false);
  });
});

describe('@LockHandler whose subscriber leaves before the handler has ended', () => {
  const leave = new Subject<void>();

  /** What an interceptor with a timeout does. */
  class Impatient implements NestInterceptor {
    intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
      return next.handle().pipe(takeUntil(leave), defaultIfEmpty('gave up'));
    }
  }

  let goOn: () => void;
  const gate = new Promise<void>((resolve) => (goOn = resolve));
  let began = false;
  const ended: string[] = [];

  @Controller()
  @UseInterceptors(Impatient)
  class Slow {
    @Get('slow')
    @LockHandler('slow')
    async slow(): Promise<string> {
      began = true;
      await gate;
      ended.push(currentLock().state);
      return 'done';
    }

    @Get('endless')
    @LockHandler('slow')
    endless(): Observable<number> {
      return NEVER;
    }
  }

  it('should keep the lock until a handler that returns a Promise has really ended', async () => {
    const [url] = await fleet.urls({ controllers: [Slow] });
    const answer = fetch(`${url}/slow`);
    await waitFor(() => began); // later than its node is there
    leave.next();
    expect(await (await answer).text()).toBe('gave up');
    expect(await fleet.contenders('slow')).toHaveLength(1);
    goOn();
    await fleet.admin.waitForChildren('/locks/slow', 0);
    expect(ended).toEqual(['held']);
  });

  it('should end an Observable and its lock at once', async () => {
    const [url] = await fleet.urls({ controllers: [Slow] });
    const answer = fetch(`${url}/endless`);
    await fleet.admin.waitForChildren('/locks/slow', 1);
    leave.next();
    expect(await (await answer).text()).toBe('gave up');
    await fleet.admin.waitForChildren('/locks/slow', 0);
  });
});
