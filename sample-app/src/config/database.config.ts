import type { ConfigService } from '@nestjs/config';
import type { TypeOrmModuleOptions } from '@nestjs/typeorm';
import type { Environment } from './environment.js';
import { CreateOrders1700000000000 } from '../database/create-orders.migration.js';

/** What we need of a better-sqlite3 connection. */
interface SqliteConnection {
  defaultSafeIntegers(on: boolean): void;
  pragma(statement: string): void;
}

/** PostgreSQL when `DATABASE_URL` is set, otherwise one SQLite file that the processes of this machine share. */
export function databaseOptions(config: ConfigService<Environment, true>): TypeOrmModuleOptions {
  const common = { autoLoadEntities: true, migrations: [CreateOrders1700000000000], retryAttempts: 3 };
  const url = config.get('DATABASE_URL', { infer: true });
  if (url) return { ...common, type: 'postgres', url };
  return {
    ...common,
    type: 'better-sqlite3',
    database: config.get('SQLITE_FILE', { infer: true }),
    enableWAL: true,
    // How long a statement waits for a writer in another process (SQLite's busy_timeout), in ms.
    timeout: 10_000,
    prepareDatabase: (connection: SqliteConnection) => {
      // Integers arrive as bigint: a fencing token does not fit a JavaScript number.
      connection.defaultSafeIntegers(true);
      connection.pragma('synchronous = NORMAL');
    },
  };
}
