import { createRequire } from 'node:module';

interface Statement {
  get(...parameters: unknown[]): Record<string, bigint> | undefined;
}
interface Connection {
  pragma(text: string): unknown;
  exec(text: string): unknown;
  prepare(text: string): Statement;
  defaultSafeIntegers(on: boolean): unknown;
  close(): void;
}
type Sqlite = new (file: string, options: { timeout: number }) => Connection;

const Database = createRequire(import.meta.url)('better-sqlite3') as Sqlite;
/** A process may be stopped in the middle of a write: the others wait for it. */
const BUSY_MS = 20_000;

/** What the locks protect: per key a table with one row, which takes a write only with a token that is not older than its own. */
export class FencedRegister {
  private readonly database: Connection;
  private readonly writes = new Map<string, Statement>();

  constructor(file: string, keys: readonly string[]) {
    this.database = new Database(file, { timeout: BUSY_MS });
    this.database.pragma('journal_mode = WAL');
    this.database.pragma('synchronous = OFF');
    this.database.defaultSafeIntegers(true);
    for (const key of keys) {
      const table = `"register ${key}"`;
      this.database.exec(
        `CREATE TABLE IF NOT EXISTS ${table} (id INTEGER PRIMARY KEY CHECK (id = 1), token INTEGER, counter INTEGER);
         INSERT OR IGNORE INTO ${table} VALUES (1, 0, 0);`,
      );
      const update = `UPDATE ${table} SET token = @token, counter = counter + 1 WHERE token <= @token RETURNING counter`;
      this.writes.set(key, this.database.prepare(update));
    }
  }

  /** The number of the write among all that were accepted, or null when it was refused. */
  write(key: string, token: bigint): number | null {
    const accepted = this.writes.get(key)?.get({ token });
    return accepted?.counter === undefined ? null : Number(accepted.counter);
  }

  close(): void {
    this.database.close();
  }
}
