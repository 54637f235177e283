import { Column, Entity, PrimaryColumn } from 'typeorm';
import { asBigInt, asNumber } from '../database/integer.transformers.js';

/** What the nightly job found. */
@Entity('settlements')
export class Settlement {
  @PrimaryColumn('varchar')
  id!: string;

  @Column('integer', { transformer: asNumber })
  payments!: number;

  /** In cents. */
  @Column('bigint', { transformer: asBigInt })
  amount!: bigint;

  /** `host:pid` of the process that made it. */
  @Column('varchar', { name: 'made_by' })
  madeBy!: string;

  @Column({ type: Date, name: 'created_at' })
  createdAt!: Date;
}
