import { Global, Module } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import { TypeOrmModule } from '@nestjs/typeorm';
import { databaseOptions } from '../config/database.config.js';
import { SchemaMigrator } from './schema.migrator.js';
import { Transactions } from './transactions.js';

@Global()
@Module({
  imports: [TypeOrmModule.forRootAsync({ inject: [ConfigService], useFactory: databaseOptions })],
  providers: [SchemaMigrator, Transactions],
  exports: [Transactions],
})
export class DatabaseModule {}
