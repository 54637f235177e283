import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { NightlySettlementJob } from './nightly-settlement.job.js';
import { Settlement } from './settlement.entity.js';

@Module({ imports: [TypeOrmModule.forFeature([Settlement])], providers: [NightlySettlementJob] })
export class SettlementModule {}
