import { Column, Entity, PrimaryColumn } from 'typeorm';
import { asBigInt, asNumber } from '../database/integer.transformers.js';

/** One charge that was booked. An order that was paid twice has two. */
@Entity('payments')
export class Payment {
  /** The charge's id at the payment provider. */
  @PrimaryColumn('varchar')
  id!: string;

  @Column('varchar', { name: 'order_id' })
  orderId!: string;

  /** In cents. */
  @Column('integer', { transformer: asNumber })
  amount!: number;

  /** Null when it was booked without a lock. */
  @Column('bigint', { name: 'fencing_token', nullable: true, transformer: asBigInt })
  fencingToken!: bigint | null;

  /** `host:pid` of the process that booked it. */
  @Column('varchar', { name: 'paid_by' })
  paidBy!: string;

  @Column({ type: Date, name: 'created_at' })
  createdAt!: Date;
}
