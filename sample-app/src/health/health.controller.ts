import { Controller, Get } from '@nestjs/common';
import {
  HealthCheck,
  HealthCheckService,
  TypeOrmHealthIndicator,
  type HealthCheckResult,
} from '@nestjs/terminus';
import { ZkLockHealthIndicator } from 'nestjs-zk-lock/health';

@Controller('health')
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly zookeeper: ZkLockHealthIndicator,
    private readonly database: TypeOrmHealthIndicator,
  ) {}

  /** Should this process be restarted? */
  @Get('live')
  @HealthCheck()
  live(): Promise<HealthCheckResult> {
    return this.health.check([() => this.zookeeper.liveness('zookeeper')]);
  }

  /** Should this process be given requests? */
  @Get('ready')
  @HealthCheck()
  ready(): Promise<HealthCheckResult> {
    return this.health.check([
      () => this.zookeeper.readiness('zookeeper'),
      () => this.database.pingCheck('database'),
    ]);
  }
}
