import { Column, Entity, PrimaryColumn } from 'typeorm';
import { asBigInt, asNumber } from '../database/integer.transformers.js';

export type OrderStatus = 'open' | 'paid';

@Entity('orders')
export class Order {
  @PrimaryColumn('varchar')
  id!: string;

  /** In cents. */
  @Column('integer', { transformer: asNumber })
  amount!: number;

  @Column('varchar')
  status!: OrderStatus;

  /** The token of the newest lock holder that began to pay this order; 0 when none did. */
  @Column('bigint', { name: 'fencing_token', transformer: asBigInt })
  fencingToken!: bigint;

  @Column({ type: Date, name: 'created_at' })
  createdAt!: Date;
}
