import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository, type EntityManager } from 'typeorm';
import { Transactions } from '../database/transactions.js';
import { Order } from '../orders/order.entity.js';
import { PROCESS_NAME } from '../process-name.js';
import type { Charge } from './payment-gateway.js';
import { Payment } from './payment.entity.js';
import { StaleFencingTokenException } from './stale-fencing-token.exception.js';

/**
 * Writes payments. The fencing token makes the database the last judge: a holder first leaves its token with the order
 * (`claim`) and may book only while no newer one has done so (`record`). A process that was paused, lost its lock
 * without knowing and goes on later is refused, whatever it believes.
 */
@Injectable()
export class PaymentLedger {
  constructor(
    @InjectRepository(Payment) private readonly payments: Repository<Payment>,
    private readonly transactions: Transactions,
  ) {}

  ofOrder(orderId: string): Promise<Payment[]> {
    return this.payments.find({ where: { orderId }, order: { createdAt: 'ASC' } });
  }

  /**
   * Leaves the token with an open order, unless a newer one is there. False when the order was paid meanwhile.
   * @throws StaleFencingTokenException
   */
  async claim(orderId: string, token: bigint): Promise<boolean> {
    return this.transactions.run(async (manager) => {
      const { affected } = await manager
        .createQueryBuilder()
        .update(Order)
        .set({ fencingToken: token })
        .where(`id = :orderId AND status = 'open' AND fencing_token < :token`, { orderId, token })
        .execute();
      if (affected === 1) return true;
      const { status, fencingToken } = await manager.findOneByOrFail(Order, { id: orderId });
      if (status === 'paid') return false;
      throw new StaleFencingTokenException(orderId, token, fencingToken);
    });
  }

  /**
   * Books the charge and marks the order as paid, if the token is still the newest.
   * @throws StaleFencingTokenException
   */
  async record(orderId: string, charge: Charge, token: bigint): Promise<void> {
    await this.transactions.run(async (manager) => {
      const { affected } = await manager
        .createQueryBuilder()
        .update(Order)
        .set({ status: 'paid' })
        .where('id = :orderId AND fencing_token = :token', { orderId, token })
        .execute();
      if (affected !== 1) {
        const { fencingToken } = await manager.findOneByOrFail(Order, { id: orderId });
        throw new StaleFencingTokenException(orderId, token, fencingToken);
      }
      await this.insert(manager, orderId, charge, token);
    });
  }

  /** Books the charge whoever else did: what happens without a lock. */
  async recordUnsafe(orderId: string, charge: Charge): Promise<void> {
    await this.transactions.run(async (manager) => {
      await manager.update(Order, { id: orderId }, { status: 'paid' });
      await this.insert(manager, orderId, charge, null);
    });
  }

  private async insert(manager: EntityManager, orderId: string, charge: Charge, token: bigint | null) {
    const { id, amount } = charge;
    const createdAt = new Date();
    await manager.insert(Payment, {
      id,
      orderId,
      amount,
      fencingToken: token,
      paidBy: PROCESS_NAME,
      createdAt,
    });
  }
}
