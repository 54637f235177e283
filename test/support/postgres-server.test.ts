import { existsSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { PostgresServer } from './postgres-server.js';

describe('PostgresServer', () => {
  it('should serve an empty database and leave nothing behind', async () => {
    const server = await PostgresServer.start();
    const client = new Client({ connectionString: server.url });
    client.on('error', () => undefined); // the server ends first
    await client.connect();
    const { rows } = await client.query<{ folder: string; n: string }>(
      `SELECT current_setting('data_directory') AS folder, 9007199254740993 AS n`,
    );
    expect(rows[0]).toMatchObject({ n: '9007199254740993' });
    expect(existsSync(rows[0]!.folder)).toBe(true);

    await server.stop();
    expect(existsSync(rows[0]!.folder)).toBe(false);
    await client.end().catch(() => undefined);
    await expect(new Client({ connectionString: server.url }).connect()).rejects.toThrow();
  });
});
