import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { DistributedLock } from 'nestjs-zk-lock';
import { Transactions } from '../database/transactions.js';
import { Payment } from '../payments/payment.entity.js';
import { PROCESS_NAME } from '../process-name.js';
import { Settlement } from './settlement.entity.js';

/** Clocks of the fleet may differ by so much, in ms, before the job could run twice. */
const CLOCK_SKEW_MS = 30_000;

/** Sums up the payments, every night, in one process of the fleet: whoever comes second skips. */
@Injectable()
export class NightlySettlementJob {
  private readonly logger = new Logger(NightlySettlementJob.name);

  constructor(private readonly transactions: Transactions) {}

  @DistributedLock('nightly', { waitMs: 0, onBusy: 'skip', minHoldMs: CLOCK_SKEW_MS })
  @Cron(CronExpression.EVERY_DAY_AT_3AM, {
    name: 'nightly-settlement',
    timeZone: 'UTC',
    waitForCompletion: true,
  })
  async settle(): Promise<void> {
    const { payments, amount } = await this.transactions.run(async (manager) => {
      const sums = await manager
        .createQueryBuilder(Payment, 'payment')
        .select('COUNT(*)', 'payments')
        .addSelect('COALESCE(SUM(payment.amount), 0)', 'amount')
        .getRawOne<{ payments: bigint | string; amount: bigint | string }>();
      const settlement = manager.create(Settlement, {
        id: randomUUID(),
        payments: Number(sums?.payments ?? 0),
        amount: BigInt(sums?.amount ?? 0),
        madeBy: PROCESS_NAME,
        createdAt: new Date(),
      });
      await manager.insert(Settlement, settlement);
      return settlement;
    });
    this.logger.log(`Settled ${payments} payments, ${String(amount)} cents`);
  }
}
