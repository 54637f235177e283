import { Module, type DynamicModule } from '@nestjs/common';
import { ConfigModule, ConfigService } from '@nestjs/config';
import { APP_FILTER } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { LockExceptionFilter, ZkLockModule } from 'nestjs-zk-lock';
import { readEnvironment } from './config/read-environment.js';
import { zkLockOptions } from './config/zk-lock.config.js';
import { DatabaseModule } from './database/database.module.js';
import { HealthModule } from './health/health.module.js';
import { OrdersModule } from './orders/orders.module.js';
import { PaymentsModule } from './payments/payments.module.js';
import { SettlementModule } from './settlement/settlement.module.js';

@Module({})
export class AppModule {
  /**
   * @param variables what would be `process.env`.
   * @throws ConfigurationError
   */
  static register(variables: NodeJS.ProcessEnv): DynamicModule {
    const environment = readEnvironment(variables);
    return {
      module: AppModule,
      imports: [
        ConfigModule.forRoot({
          isGlobal: true,
          ignoreEnvFile: true,
          validatePredefined: false,
          skipProcessEnv: true,
          load: [() => environment],
        }),
        ZkLockModule.forRootAsync({ inject: [ConfigService], useFactory: zkLockOptions }),
        ScheduleModule.forRoot(),
        DatabaseModule,
        OrdersModule,
        PaymentsModule,
        SettlementModule,
        HealthModule,
      ],
      providers: [{ provide: APP_FILTER, useClass: LockExceptionFilter }],
    };
  }
}
