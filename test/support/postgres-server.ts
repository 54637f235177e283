import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { chown, mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { freePort } from '../../scripts/zookeeper/free-port.mjs';
import { ProcessGuard } from '../../scripts/zookeeper/process-guard.mjs';
import { waitFor } from './wait-for.js';

const DEBIAN_FOLDER = '/usr/lib/postgresql';

/** A real PostgreSQL on 127.0.0.1, with its data in a temporary folder. It ends with the process that started it. */
export class PostgresServer implements AsyncDisposable {
  private constructor(
    readonly port: number,
    private readonly child: ChildProcess,
    private readonly folder: string,
    private readonly guard: ProcessGuard,
  ) {}

  /** Makes an empty database cluster and starts it on a free port. */
  static async start(): Promise<PostgresServer> {
    const bin = findPostgres();
    const account = unprivilegedAccount();
    const folder = await mkdtemp(join(tmpdir(), 'postgres-'));
    const guard = new ProcessGuard(folder);
    if (account) await chown(folder, account.uid, account.gid);

    const data = join(folder, 'data');
    const initArgs = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
    await promisify(execFile)(join(bin, 'initdb'), initArgs, { ...account, cwd: folder });

    const port = await freePort();
    const log = await open(join(folder, 'server.log'), 'w');
    const serverArgs = ['-D', data, '-h', '127.0.0.1', '-p', String(port), '-k', '', '-F'];
    const child = spawn(join(bin, 'postgres'), serverArgs, {
      ...account,
      cwd: folder,
      stdio: ['ignore', log.fd, log.fd],
      detached: true,
    });
    if (child.pid !== undefined) guard.watch(child.pid);
    child.once('exit', () => guard.forget());
    child.unref();
    await log.close();

    const server = new PostgresServer(port, child, folder, guard);
    try {
      await server.waitUntilServing();
    } catch (error) {
      const text = await readFile(join(folder, 'server.log'), 'utf8');
      await server.stop();
      throw new Error(`PostgreSQL did not start:\n${text.slice(-4_000)}`, { cause: error });
    }
    return server;
  }

  /** For `DATABASE_URL`. */
  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`;
  }

  /** Ends the server, whoever is connected, and removes its data. */
  async stop(): Promise<void> {
    if (!this.hasEnded) {
      this.child.ref();
      const exited = once(this.child, 'exit');
      this.child.kill('SIGQUIT');
      await exited;
    }
    await rm(this.folder, { recursive: true, force: true });
    this.guard.release();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  private get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  private waitUntilServing(): Promise<true> {
    return waitFor(
      async () => {
        const client = new Client({ connectionString: this.url, connectionTimeoutMillis: 1_000 });
        client.on('error', () => undefined);
        await client.connect();
        await client.end();
        return true;
      },
      { what: `PostgreSQL on port ${this.port}`, timeoutMs: 30_000, everyMs: 50 },
    );
  }
}

/** The folder with the newest `postgres` and `initdb`. */
function findPostgres(): string {
  const versions = existsSync(DEBIAN_FOLDER) ? readdirSync(DEBIAN_FOLDER) : [];
  const folders = versions
    .toSorted((a, b) => Number(b) - Number(a))
    .map((version) => join(DEBIAN_FOLDER, version, 'bin'));
  const onPath = (process.env.PATH ?? '').split(':').filter((folder) => folder !== '');
  const found = [...folders, ...onPath].find((folder) =>
    ['postgres', 'initdb'].every((name) => existsSync(join(folder, name))),
  );
  if (found === undefined) {
    throw new Error(
      'PostgreSQL was not found. Debian or Ubuntu: apt-get install postgresql; elsewhere put initdb and postgres on the PATH.',
    );
  }
  return found;
}

/** PostgreSQL refuses to run as root: then it runs as `postgres` or `nobody`. */
function unprivilegedAccount(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: string, user: string) =>
    Number(execFileSync('id', [flag, user], { stdio: ['ignore', 'pipe', 'ignore'] }));
  for (const user of ['postgres', 'nobody']) {
    try {
      return { uid: idOf('-u', user), gid: idOf('-g', user) };
    } catch {
      // no such user
    }
  }
  throw new Error('PostgreSQL does not run as root, and there is no user "postgres" or "nobody".');
}
