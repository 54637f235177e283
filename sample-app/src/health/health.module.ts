import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { ZkLockHealthIndicator } from 'nestjs-zk-lock/health';
import { HealthController } from './health.controller.js';

@Module({
  imports: [TerminusModule],
  controllers: [HealthController],
  providers: [ZkLockHealthIndicator],
})
export class HealthModule {}
