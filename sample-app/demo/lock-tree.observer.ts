import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import ZooKeeper from 'zookeeper';

/** Looks at the locks in ZooKeeper with a client of its own, not through the library. */
export class LockTreeObserver {
  private constructor(
    private readonly client: ZooKeeper,
    private readonly root: string,
  ) {}

  /**
   * @param root the `ZK_ROOT` of the service; only its children are looked at.
   * @throws {Error} when ZooKeeper does not answer.
   */
  static async connect(
    connect: string,
    auth: string | undefined,
    root: string,
    waitMs = 10_000,
  ): Promise<LockTreeObserver> {
    const client = new ZooKeeper({
      connect,
      timeout: 10_000,
      debug_level: 0,
      response_counter_limit: 1_000_000,
    });
    const connected = once(client, 'connect', { signal: AbortSignal.timeout(waitMs) });
    client.init({});
    await connected.catch(() => {
      client.close();
      throw new Error(`There is no ZooKeeper at ${connect}: no answer within ${waitMs} ms`);
    });
    if (auth) client.add_auth('digest', auth, () => undefined);
    return new LockTreeObserver(client, root);
  }

  /** Nodes of holders and waiters that are there although nobody holds or waits; late deletes are given some time. */
  async orphans(patienceMs = 5_000): Promise<string[]> {
    const deadline = performance.now() + patienceMs;
    for (;;) {
      const found = await this.nodes();
      if (found.length === 0 || performance.now() > deadline) return found;
      await sleep(100);
    }
  }

  /** Removes the empty parents that the service left. */
  async removeRoot(): Promise<void> {
    for (const key of await this.children(this.root)) await this.remove(`${this.root}/${key}`);
    await this.remove(this.root);
  }

  async close(): Promise<void> {
    this.client.close();
  }

  private async nodes(): Promise<string[]> {
    const found: string[] = [];
    for (const key of await this.children(this.root)) {
      for (const node of await this.children(`${this.root}/${key}`))
        found.push(`${this.root}/${key}/${node}`);
    }
    return found;
  }

  private children(path: string): Promise<string[]> {
    return this.client.get_children(path, false).catch(unlessGone([]));
  }

  private async remove(path: string): Promise<void> {
    await this.client.delete_(path, -1).catch(unlessGone(undefined));
  }
}

/** The client's errors have no code, only a text that begins with it: -101 is "no node". */
function unlessGone<T>(instead: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof Error && error.message.startsWith('-101')) return instead;
    throw error;
  };
}
