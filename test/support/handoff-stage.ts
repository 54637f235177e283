import { EACH_ITS_NODE, LockClient } from './lock-client.js';
import { waitFor } from './wait-for.js';
import { ZkAdmin } from './zk-admin.js';
import { ZkProxy } from './zk-proxy.js';
import { ZooKeeperServer } from './zookeeper-server.js';

/** One process whose requests are counted, somebody outside, and a fresh key for each test. */
export class HandoffStage implements AsyncDisposable {
  /** Behind the proxy; its session is so long that no keep-alive falls into a measurement. */
  a!: LockClient;
  /** Outside: each of its callers has a node of its own. */
  b!: LockClient;
  key = '';
  private count = 0;

  private constructor(
    readonly server: ZooKeeperServer,
    readonly proxy: ZkProxy,
    readonly admin: ZkAdmin,
  ) {}

  static async start(): Promise<HandoffStage> {
    const server = await ZooKeeperServer.start();
    const proxy = await ZkProxy.start(server);
    return new HandoffStage(server, proxy, await ZkAdmin.connect(server.connectString));
  }

  /** For the next test. The parent of its key exists, and `a` knows that. */
  async next(): Promise<this> {
    this.key = `handoff-${(this.count += 1)}`;
    this.proxy.reset();
    this.a = await LockClient.open(this.proxy.connectString, { sessionTimeoutMs: 60_000 });
    this.b = await LockClient.open(this.server.connectString, EACH_ITS_NODE);
    await this.a.locks.withLock(this.key, () => undefined);
    await waitFor(async () => (await this.nodes()).length === 0);
    await this.untilAnswered();
    this.proxy.reset();
    return this;
  }

  /** After a test: nothing may be left. */
  async leave(): Promise<void> {
    const clients = [this.a, this.b];
    try {
      await waitFor(() => clients.every(({ locks }) => locks.stats().held === 0));
      await waitFor(() => clients.every(({ locks }) => locks.stats().waiting === 0));
      await waitFor(async () => (await this.nodes()).length === 0, { what: 'no node left' });
    } finally {
      for (const client of clients) await client[Symbol.asyncDispose]();
    }
  }

  /** Names of the nodes, in the order of the queue. */
  async nodes(): Promise<string[]> {
    const names = await this.admin.children(`/locks/${this.key}`);
    return names.sort((x, y) => (x.slice(-10) < y.slice(-10) ? -1 : 1));
  }

  untilNodes(count: number): Promise<unknown> {
    return waitFor(async () => (await this.nodes()).length === count);
  }

  untilWaiting(client: LockClient, waiting: number): Promise<unknown> {
    return waitFor(() => client.locks.stats().waiting === waiting);
  }

  /** Until so many requests have been made, and all are answered. */
  async untilRequests(count: number): Promise<void> {
    await waitFor(() => this.proxy.requests.length === count);
    await this.untilAnswered();
  }

  untilAnswered(): Promise<unknown> {
    return waitFor(() => this.proxy.requests.every(({ answer }) => answer));
  }

  ops(): string[] {
    return this.proxy.requests.map(({ op }) => op);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.admin.close();
    await this.proxy[Symbol.asyncDispose]();
    await this.server[Symbol.asyncDispose]();
  }
}
