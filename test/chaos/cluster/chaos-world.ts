import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mergeHistories, type ChaosRecord } from '../history.js';
import { HistoryWriter } from '../history-writer.js';
import { ChaosEnsemble, SESSION_TIMEOUT_MS } from './chaos-ensemble.js';
import { FleetClient, type FleetClientOptions } from './fleet-client.js';

export interface ClientOptions extends Omit<FleetClientOptions, 'folder' | 'sessionTimeoutMs'> {
  /** Indices of the members that the client knows. Default: all. */
  members?: readonly number[];
}

/** An ensemble, the clients that use it, and the folder of their log and their register. */
export class ChaosWorld implements AsyncDisposable {
  static async start(): Promise<ChaosWorld> {
    const ensemble = await ChaosEnsemble.start();
    return new ChaosWorld(ensemble, await mkdtemp(join(tmpdir(), 'zk-lock-chaos-')));
  }

  /** What the harness itself writes into the log. */
  readonly log: HistoryWriter;
  readonly clients: FleetClient[] = [];

  private constructor(
    readonly ensemble: ChaosEnsemble,
    private readonly folder: string,
  ) {
    this.log = new HistoryWriter(folder, 'harness');
  }

  async addClient({ members, ...options }: ClientOptions): Promise<FleetClient> {
    const servers = this.ensemble.members.filter((_, index) => members?.includes(index) ?? true);
    const { folder, log } = this;
    const client = await FleetClient.start(
      servers,
      { ...options, folder, sessionTimeoutMs: SESSION_TIMEOUT_MS },
      log,
    );
    this.clients.push(client);
    return client;
  }

  /** What all processes have logged so far. */
  async history(): Promise<ChaosRecord[]> {
    const files = (await readdir(this.folder)).filter((name) => name.endsWith('.jsonl'));
    return mergeHistories(await Promise.all(files.map((name) => readFile(join(this.folder, name), 'utf8'))));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.clients.map((client) => client[Symbol.asyncDispose]()));
    await this.ensemble[Symbol.asyncDispose]();
    await rm(this.folder, { recursive: true, force: true });
  }
}
