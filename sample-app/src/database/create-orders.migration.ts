import { Table, type MigrationInterface, type QueryRunner } from 'typeorm';

/** The first schema, for PostgreSQL and SQLite alike. */
export class CreateOrders1700000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const time = runner.dataSource.options.type === 'postgres' ? 'timestamptz' : 'datetime';
    await runner.createTable(
      new Table({
        name: 'orders',
        columns: [
          { name: 'id', type: 'varchar', isPrimary: true },
          { name: 'amount', type: 'integer' },
          { name: 'status', type: 'varchar' },
          { name: 'fencing_token', type: 'bigint', default: 0 },
          { name: 'created_at', type: time },
        ],
      }),
    );
    await runner.createTable(
      new Table({
        name: 'payments',
        columns: [
          { name: 'id', type: 'varchar', isPrimary: true },
          { name: 'order_id', type: 'varchar' },
          { name: 'amount', type: 'integer' },
          { name: 'fencing_token', type: 'bigint', isNullable: true },
          { name: 'paid_by', type: 'varchar' },
          { name: 'created_at', type: time },
        ],
        indices: [{ name: 'payments_by_order', columnNames: ['order_id'] }],
        foreignKeys: [
          { columnNames: ['order_id'], referencedTableName: 'orders', referencedColumnNames: ['id'] },
        ],
      }),
    );
    await runner.createTable(
      new Table({
        name: 'settlements',
        columns: [
          { name: 'id', type: 'varchar', isPrimary: true },
          { name: 'payments', type: 'integer' },
          { name: 'amount', type: 'bigint' },
          { name: 'made_by', type: 'varchar' },
          { name: 'created_at', type: time },
        ],
      }),
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['settlements', 'payments', 'orders']) await runner.dropTable(table);
  }
}
