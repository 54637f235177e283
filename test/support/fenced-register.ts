import Database from 'better-sqlite3';

/** A row in SQLite that refuses writers with an older token: what a database has to do behind a lock. */
export class FencedRegister implements Disposable {
  private readonly db: Database.Database;

  constructor(file: string) {
    this.db = new Database(file);
    this.db.pragma('journal_mode = WAL');
    this.db.pragma('busy_timeout = 10000');
    this.db.exec(
      'CREATE TABLE IF NOT EXISTS register (key TEXT PRIMARY KEY, token INTEGER NOT NULL, value TEXT)',
    );
  }

  /** False when somebody with a younger token has written already. */
  write(key: string, token: bigint, value: string): boolean {
    const { changes } = this.db
      .prepare(
        `INSERT INTO register VALUES (@key, @token, @value)
         ON CONFLICT (key) DO UPDATE SET token = @token, value = @value WHERE token <= @token`,
      )
      .run({ key, token, value });
    return changes === 1;
  }

  read(key: string): { token: bigint; value: string } | undefined {
    const row = this.db.prepare('SELECT token, value FROM register WHERE key = ?').safeIntegers().get(key);
    return row as { token: bigint; value: string } | undefined;
  }

  [Symbol.dispose](): void {
    this.db.close();
  }
}
