import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestDatabase } from './test-database.js';

/** A SQLite file in a folder of its own. */
export async function sqliteFile(): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'orders-'));
  return {
    variables: { SQLITE_FILE: join(folder, 'orders.sqlite') },
    stop: () => rm(folder, { recursive: true, force: true }),
  };
}
