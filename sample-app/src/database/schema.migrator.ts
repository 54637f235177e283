import { Injectable, type OnModuleInit } from '@nestjs/common';
import { LockService } from 'nestjs-zk-lock';
import { DataSource } from 'typeorm';

/** Brings the schema up to date at the start; when several processes start together, one does it and the others wait. */
@Injectable()
export class SchemaMigrator implements OnModuleInit {
  constructor(
    private readonly locks: LockService,
    private readonly dataSource: DataSource,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.locks.withLock('schema-migrations', () => this.dataSource.runMigrations());
  }
}
