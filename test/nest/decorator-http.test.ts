import {
  applyDecorators,
  Body,
  Controller,
  createParamDecorator,
  Get,
  HttpCode,
  NotFoundException,
  Param,
  ParseIntPipe,
  Post,
  Query,
  Scope,
  SetMetadata,
  UseInterceptors,
  ValidationPipe,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { IsInt, IsString } from 'class-validator';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Observable, of } from 'rxjs';
import { DistributedLock } from '../../lib/locking/distributed-lock.decorator.js';
import { currentLock } from '../../lib/recipes/lock-context.js';
import { CriticalSection } from './fixtures/critical-section.js';
import { Fleet } from './fixtures/fleet.js';

let fleet: Fleet;
const section = new CriticalSection();

class Payment {
  @IsString()
  account!: string;

  @IsInt()
  amount!: number;

  /** Only an instance has it, not the JSON that came. */
  get owner(): string {
    return this.account.toLowerCase();
  }
}

class Seen implements NestInterceptor {
  static readonly handlers: string[] = [];
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    Seen.handlers.push(context.getHandler().name);
    return next.handle();
  }
}

const FromHeader = createParamDecorator((name: string, context: ExecutionContext) => {
  const request = context.switchToHttp().getRequest<{ headers: Record<string, string> }>();
  return request.headers[name];
});
const Marked = () => applyDecorators(SetMetadata('mark', 'kept'), UseInterceptors(Seen));
const asText = (): string => currentLock().key;

@Controller('above')
class AboveController {
  @DistributedLock('order-pay:<id>')
  @Post(':id/pay')
  @HttpCode(202)
  @Marked()
  async pay(@Param('id', ParseIntPipe) id: number, @Body() payment: Payment): Promise<unknown> {
    await section.pass();
    return { id, key: asText(), typed: payment instanceof Payment };
  }

  @DistributedLock('account:<payment.owner>')
  @Post('owner')
  async owner(@Body() payment: Payment): Promise<unknown> {
    return { key: asText(), amount: payment.amount };
  }
}

@Controller('below')
class BelowController {
  @Post(':id/pay')
  @HttpCode(202)
  @Marked()
  @DistributedLock('order-pay:<id>')
  async pay(@Param('id', ParseIntPipe) id: number, @Body() payment: Payment): Promise<unknown> {
    await section.pass();
    return { id, key: asText(), typed: payment instanceof Payment };
  }

  /** The route's names count where the signature has others. */
  @Get('names/:order/:line')
  @DistributedLock('line:<order>:<line>:<page>')
  async names(
    @Param('order') a: string,
    @Param('line') b: string,
    @Query('page') c: string,
  ): Promise<unknown> {
    return { key: asText(), args: [a, b, c] };
  }

  @Get('custom')
  @DistributedLock('tenant:<tenant>')
  async custom(@FromHeader('x-tenant') tenant: string): Promise<unknown> {
    return { key: asText(), tenant };
  }

  @Get('observable/:id')
  @DistributedLock('observable:<id>')
  observable(@Param('id') id: string): Observable<unknown> {
    return of({ key: asText(), id });
  }

  @Get('missing/:id')
  @DistributedLock('order:<id>')
  async missing(@Param('id') id: string): Promise<unknown> {
    throw new NotFoundException(`no order ${id}`);
  }
}

@Controller({ path: 'scoped', scope: Scope.REQUEST })
class ScopedController {
  @Post(':id/pay')
  @DistributedLock('order-pay:<id>')
  async pay(@Param('id', ParseIntPipe) id: number): Promise<unknown> {
    await section.pass();
    return { id, key: asText() };
  }
}

const PAYMENT = { account: 'ACME', amount: 5 };

async function send(url: string, body?: object): Promise<{ status: number; body: unknown }> {
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json', 'x-tenant': 'acme' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

let urls: [string, string];

beforeAll(async () => {
  fleet = await Fleet.start();
  urls = await fleet.urls(
    { controllers: [AboveController, BelowController, ScopedController] },
    { prepare: (app) => void app.useGlobalPipes(new ValidationPipe({ transform: true })) },
  );
});
afterEach(() => void Seen.handlers.splice(0));
afterAll(() => fleet[Symbol.asyncDispose]());

describe.each([['above'], ['below']])('@DistributedLock %s the route of a controller', (where) => {
  it('should keep the route, its status, its interceptors and its pipes', async () => {
    const { status, body } = await send(`${urls[0]}/${where}/7/pay`, PAYMENT);
    expect({ status, body }).toEqual({ status: 202, body: { id: 7, key: 'order-pay:7', typed: true } });
    expect(Seen.handlers).toEqual(['pay']);
  });

  it('should see what the pipes made: /7 and /07 are one order', async () => {
    await section.expectExclusive(
      ['7', '07', '007', '7'].map((id, index) => async () => {
        const { body } = await send(`${urls[index % 2]!}/${where}/${id}/pay`, PAYMENT);
        expect(body).toMatchObject({ key: 'order-pay:7' });
      }),
    );
  });

  it('should not lock what the pipes refuse', async () => {
    expect(await send(`${urls[0]}/${where}/seven/pay`, PAYMENT)).toMatchObject({ status: 400 });
    expect(await send(`${urls[0]}/${where}/8/pay`, { account: 'ACME', amount: 'much' })).toMatchObject({
      status: 400,
    });
    expect(await fleet.admin.exists('/locks/order-pay:8')).toBe(false);
  });

  it('should keep name, length and metadata of the method', () => {
    const { pay } = (where === 'above' ? AboveController : BelowController).prototype;
    expect([pay.name, pay.length]).toEqual(['pay', 2]);
    expect(Reflect.getMetadata('mark', pay)).toBe('kept');
  });
});

describe('@DistributedLock in a controller', () => {
  it('should lock a request-scoped one', async () => {
    await section.expectExclusive(
      [0, 1, 0, 1].map((index) => async () => {
        const { status, body } = await send(`${urls[index]!}/scoped/7/pay`, {});
        expect({ status, body }).toEqual({ status: 201, body: { id: 7, key: 'order-pay:7' } });
      }),
    );
  });

  it('should read the properties of a DTO, its getters too', async () => {
    const { body } = await send(`${urls[0]}/above/owner`, PAYMENT);
    expect(body).toEqual({ key: 'account:acme', amount: 5 });
  });

  it("should take the route's names of parameters, and those of the signature for custom decorators", async () => {
    const { body } = await send(`${urls[0]}/below/names/a:1/2?page=3`);
    expect(body).toEqual({ key: 'line:a:1:2:3', args: ['a:1', '2', '3'] });
    expect(await fleet.admin.exists('/locks/line:a%3A1:2:3')).toBe(true);
    expect(await send(`${urls[0]}/below/custom`)).toMatchObject({
      body: { key: 'tenant:acme', tenant: 'acme' },
    });
  });

  it('should lock a handler that returns an Observable', async () => {
    expect(await send(`${urls[0]}/below/observable/1`)).toEqual({
      status: 200,
      body: { key: 'observable:1', id: '1' },
    });
    await fleet.untilFree('observable:1');
  });

  it('should leave the errors of the handler as they are', async () => {
    expect(await send(`${urls[0]}/below/missing/1`)).toMatchObject({
      status: 404,
      body: { message: 'no order 1' },
    });
    await fleet.untilFree('order:1');
  });
});
