import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

/**
 * All writes go through here. On SQLite those of one process take turns: TypeORM has a single connection there, on
 * which a second transaction would nest in the first and be undone with it. Those of other processes wait for the file
 * (`timeout` in database.config.ts), which blocks this process: keep transactions short.
 */
@Injectable()
export class Transactions {
  private static lastOnSqlite: Promise<unknown> = Promise.resolve();

  constructor(private readonly dataSource: DataSource) {}

  run<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    if (this.dataSource.options.type === 'postgres') return this.dataSource.transaction(work);
    const turn = Transactions.lastOnSqlite.then(() => this.dataSource.transaction(work));
    Transactions.lastOnSqlite = turn.catch(() => undefined);
    return turn;
  }
}
