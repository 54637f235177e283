import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { lockKey, LockService, type Contender } from 'nestjs-zk-lock';
import { PayOrderDto } from './pay-order.dto.js';
import { PaymentCounters } from './payment.counters.js';
import type { Payment } from './payment.entity.js';
import { PaymentLedger } from './payment.ledger.js';
import { ORDER_PAY_LOCK, PaymentsService, type PaymentOutcome } from './payments.service.js';

@Controller()
export class PaymentsController {
  constructor(
    private readonly payments: PaymentsService,
    private readonly ledger: PaymentLedger,
    private readonly counters: PaymentCounters,
    private readonly locks: LockService,
  ) {}

  @Post('orders/:id/pay')
  @HttpCode(200)
  pay(@Param('id') id: string, @Body() { gatewayMs }: PayOrderDto): Promise<PaymentOutcome> {
    return this.payments.pay(id, { arrivedAt: performance.now(), gatewayMs });
  }

  @Post('orders/:id/pay-unsafe')
  @HttpCode(200)
  payUnsafe(@Param('id') id: string, @Body() { gatewayMs }: PayOrderDto): Promise<PaymentOutcome> {
    return this.payments.payUnsafe(id, { arrivedAt: performance.now(), gatewayMs });
  }

  @Get('orders/:id/payments')
  list(@Param('id') id: string): Promise<Payment[]> {
    return this.ledger.ofOrder(id);
  }

  /** Who is paying this order right now, and who waits, in order. */
  @Get('orders/:id/lock')
  contenders(@Param('id') id: string): Promise<Contender[]> {
    return this.locks.contenders(lockKey(ORDER_PAY_LOCK, { id }));
  }

  @Get('payments/counters')
  count(): PaymentCounters {
    return this.counters;
  }
}
