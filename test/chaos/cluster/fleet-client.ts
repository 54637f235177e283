import { pauseProcess } from '../../../scripts/zookeeper/pause-process.mjs';
import { startWorker, type TestWorker } from '../../support/child-process.js';
import { expireSession } from '../../support/expire-session.js';
import { ZkProxy } from '../../support/zk-proxy.js';
import type { ChaosWorkerAnswer, ChaosWorkerMessage, ChaosWorkerOptions } from '../client/chaos.worker.js';
import type { HistoryWriter } from '../history-writer.js';

const START_MS = 60_000;
const EXPIRY_MS = 3_000;

export interface FleetClientOptions extends Omit<ChaosWorkerOptions, 'name' | 'hosts'> {
  /** `c1`; its lives are `c1.1`, `c1.2` and so on. */
  name: string;
}

/** One client process, the proxies through which it reaches the members, and its successors when it is killed. */
export class FleetClient implements AsyncDisposable {
  /** Starts the process; it waits for orders. */
  static async start(
    servers: readonly { port: number }[],
    options: FleetClientOptions,
    log: HistoryWriter,
  ): Promise<FleetClient> {
    const proxies = await Promise.all(servers.map((server) => ZkProxy.start(server)));
    const client = new FleetClient(servers, proxies, options, log);
    await client.begin();
    return client;
  }

  private worker!: TestWorker;
  private lives = 0;
  private mayEnd = false;
  private crashed = false;

  private constructor(
    private readonly servers: readonly { port: number }[],
    /** One before each member that the client knows, in their order. */
    readonly proxies: readonly ZkProxy[],
    private readonly options: FleetClientOptions,
    private readonly log: HistoryWriter,
  ) {}

  get name(): string {
    return this.options.name;
  }

  /** False once the process has ended by itself. */
  get isAlive(): boolean {
    return !this.crashed;
  }

  send(message: ChaosWorkerMessage): void {
    this.worker.send(message);
  }

  /** Waits for the next answer. */
  answer(timeoutMs?: number): Promise<ChaosWorkerAnswer> {
    return this.worker.next<ChaosWorkerAnswer>(timeoutMs);
  }

  /**
   * Cuts the client off, and ends its sessions on the server as soon as nothing may be held under them any more. That is sooner
   * than the server would end them, but not too soon: nobody can be protected from somebody who ends a live session.
   * @param wait settles after so many ms; when it settles too early nothing is ended
   */
  async expireSessions(wait: (ms: number) => Promise<void>): Promise<void> {
    for (const proxy of this.proxies) proxy.blackhole('both');
    const leaseMs = (this.options.sessionTimeoutMs * 2) / 3;
    const leaseEnd = performance.now() + leaseMs;
    const sessions = this.proxies.map((proxy) => proxy.sessions);
    await wait(Math.ceil(leaseMs) + 1);
    if (performance.now() < leaseEnd) return;
    const ended = sessions.flatMap(
      (ofServer, index) =>
        ofServer.map((session) => expireSession(this.servers[index]!, session).catch(() => undefined)), // it may be over
    );
    await Promise.race([Promise.all(ended), wait(EXPIRY_MS)]);
    for (const proxy of this.proxies) proxy.heal();
  }

  /** SIGSTOP. */
  pause(): void {
    pauseProcess(this.worker.pid);
  }

  /** SIGCONT. */
  resume(): void {
    this.worker.resume();
  }

  /** SIGKILL. */
  async kill(): Promise<void> {
    this.mayEnd = true;
    await this.worker.kill();
    this.log.record({ kind: 'killed', of: this.lifeName });
  }

  /** Tells the process to close its session and to end; settles when it has ended. */
  async close(timeoutMs: number): Promise<void> {
    this.mayEnd = true;
    this.send('close');
    await this.answer(timeoutMs);
    await this.worker.exit;
  }

  /** A new process in the place of the one that ended; settles when it is there. */
  async begin(): Promise<void> {
    this.lives += 1;
    const { seed, ...rest } = this.options;
    const hosts = this.proxies.map(({ connectString }) => connectString).join(',');
    const options: ChaosWorkerOptions = {
      ...rest,
      name: this.lifeName,
      seed: seed + this.lives * 1_000,
      hosts,
    };
    const worker = startWorker(new URL('../client/chaos.worker.ts', import.meta.url), [
      JSON.stringify(options),
    ]);
    this.worker = worker;
    this.mayEnd = false;
    void worker.exit.then(({ code, signal }) => {
      if (worker !== this.worker || this.mayEnd) return;
      this.crashed = true;
      const message = `ended by itself (${code ?? signal}): ${worker.output}`;
      this.log.record({ kind: 'crashed', of: this.lifeName, message });
    });
    await worker.next(START_MS);
  }

  /** Ends whatever was done to its connections, and forgets the requests seen so far. */
  heal(): void {
    for (const proxy of this.proxies) {
      proxy.heal();
      proxy.accept();
      proxy.reset();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.mayEnd = true;
    await this.worker[Symbol.asyncDispose]();
    await Promise.all(this.proxies.map((proxy) => proxy[Symbol.asyncDispose]()));
  }

  private get lifeName(): string {
    return `${this.name}.${this.lives}`;
  }
}
