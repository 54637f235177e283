import { Injectable } from '@nestjs/common';
import { currentLock, DistributedLock } from 'nestjs-zk-lock';
import { OrdersService } from '../orders/orders.service.js';
import { PROCESS_NAME } from '../process-name.js';
import { PaymentCounters } from './payment.counters.js';
import { PaymentGateway, type Charge } from './payment-gateway.js';
import { PaymentLedger } from './payment.ledger.js';
import { StaleFencingTokenException } from './stale-fencing-token.exception.js';

/** The lock of one order's payment. */
export const ORDER_PAY_LOCK = 'order-pay:<id>';

export interface PaymentRequest {
  /** When it arrived, by `performance.now()`. */
  readonly arrivedAt: number;
  readonly gatewayMs: number | undefined;
}

export interface PaymentOutcome {
  readonly orderId: string;
  readonly outcome: 'charged' | 'already-paid';
  readonly by: string;
  /** How long the request waited for the lock, in ms; 0 without one. */
  readonly lockWaitMs: number;
  /** Null without a lock. */
  readonly fencingToken: bigint | null;
}

@Injectable()
export class PaymentsService {
  constructor(
    private readonly orders: OrdersService,
    private readonly gateway: PaymentGateway,
    private readonly ledger: PaymentLedger,
    private readonly counters: PaymentCounters,
  ) {}

  /**
   * Pays an order once, however often and wherever it is called: one caller per order in the whole fleet. Should the
   * lock be lost on the way (`onLost`), the database still knows whether the payment counts: its answer stands.
   */
  @DistributedLock(ORDER_PAY_LOCK, { waitMs: 20_000, onLost: 'ignore' })
  async pay(id: string, { arrivedAt, gatewayMs }: PaymentRequest): Promise<PaymentOutcome> {
    const { fencingToken } = currentLock();
    const answer = { orderId: id, by: PROCESS_NAME, lockWaitMs: performance.now() - arrivedAt, fencingToken };
    try {
      const order = await this.orders.get(id);
      if (order.status === 'paid' || !(await this.ledger.claim(id, fencingToken))) {
        return { ...answer, outcome: 'already-paid' };
      }
      const charge = await this.charge(order.amount, gatewayMs);
      await this.ledger.record(id, charge, fencingToken).catch((error: unknown) => this.undo(charge, error));
      return { ...answer, outcome: 'charged' };
    } catch (error) {
      if (error instanceof StaleFencingTokenException) this.counters.staleWritesRefused++;
      throw error;
    }
  }

  /** The same without the lock, to show what then happens: look, charge, write. Not for real money. */
  async payUnsafe(id: string, { gatewayMs }: PaymentRequest): Promise<PaymentOutcome> {
    const answer = { orderId: id, by: PROCESS_NAME, lockWaitMs: 0, fencingToken: null };
    const order = await this.orders.get(id);
    if (order.status === 'paid') return { ...answer, outcome: 'already-paid' };
    await this.ledger.recordUnsafe(id, await this.charge(order.amount, gatewayMs));
    return { ...answer, outcome: 'charged' };
  }

  private async charge(amount: number, gatewayMs: number | undefined): Promise<Charge> {
    const charge = await this.gateway.charge(amount, gatewayMs);
    this.counters.charges++;
    return charge;
  }

  private async undo(charge: Charge, reason: unknown): Promise<never> {
    await this.gateway.refund(charge);
    this.counters.refunds++;
    throw reason;
  }
}
