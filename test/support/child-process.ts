import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { pauseProcess } from '../../scripts/zookeeper/pause-process.mjs';
import { ProcessGuard } from '../../scripts/zookeeper/process-guard.mjs';
import { waitFor } from './wait-for.js';

const LOADER = new URL('ts-loader.mjs', import.meta.url).href;
const WORKERS = new URL('workers/', import.meta.url);
const KEPT_OUTPUT = 8_000;

export interface WorkerExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface WorkerOptions {
  /** Added to the environment of this process. */
  env?: Record<string, string>;
}

/**
 * Starts `test/support/workers/<file>`, or the TypeScript file of a URL, as a process of its own; it imports the TypeScript of `lib` directly and talks by
 * `process.send` and `process.on('message')`. It ends with this process, however this ends.
 */
export function startWorker(
  file: string | URL,
  args: readonly string[] = [],
  options: WorkerOptions = {},
): TestWorker {
  return new TestWorker(file, args, options);
}

/** A child process of a test. */
export class TestWorker implements AsyncDisposable {
  /** Settles when the process has ended. */
  readonly exit: Promise<WorkerExit>;
  private readonly child: ChildProcess;
  private readonly guard = new ProcessGuard();
  private readonly inbox: unknown[] = [];
  private readonly readers: { resolve: (message: unknown) => void; reject: (error: Error) => void }[] = [];
  private ended: WorkerExit | undefined;
  private written = '';

  constructor(
    private readonly file: string | URL,
    args: readonly string[],
    { env }: WorkerOptions,
  ) {
    // jest's own NODE_OPTIONS are not for the child
    this.child = fork(fileURLToPath(new URL(file, WORKERS)), args, {
      env: { ...process.env, NODE_OPTIONS: '', ...env },
      execArgv: ['--enable-source-maps', '--import', LOADER],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      serialization: 'advanced',
    });
    if (this.child.pid !== undefined) this.guard.watch(this.child.pid);
    this.child.on('message', (message) => this.received(message));
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream
        ?.setEncoding('utf8')
        .on('data', (text: string) => (this.written = (this.written + text).slice(-KEPT_OUTPUT)));
    }
    // 'close' follows 'exit' when everything that the process wrote has been read
    this.exit = once(this.child, 'close').then(([code, signal]: unknown[]) =>
      this.closed({ code, signal } as WorkerExit),
    );
  }

  get pid(): number {
    if (this.child.pid === undefined)
      throw new Error(`The worker ${String(this.file)} could not be started.`);
    return this.child.pid;
  }

  /** The last that the process wrote to its standard output and error. */
  get output(): string {
    return this.written;
  }

  send(message: unknown): void {
    this.child.send(message as object);
  }

  /**
   * The next message of the process that nobody has read, waited for up to `timeoutMs` (default 20,000).
   * @throws {Error} with the process's output when it ends first or the time is over
   */
  next<T>(timeoutMs = 20_000): Promise<T> {
    if (this.inbox.length > 0) return Promise.resolve(this.inbox.shift() as T);
    if (this.ended) return Promise.reject(this.error(`ended with ${JSON.stringify(this.ended)}`));
    return new Promise<T>((resolve, reject) => {
      const reader = {
        resolve: (message: unknown) => {
          clearTimeout(timer);
          resolve(message as T);
        },
        reject: (error: Error) => {
          clearTimeout(timer);
          reject(error);
        },
      };
      const timer = setTimeout(() => {
        this.readers.splice(this.readers.indexOf(reader), 1);
        reject(this.error(`sent no message within ${timeoutMs} ms`));
      }, timeoutMs);
      this.readers.push(reader);
    });
  }

  /** Sends a message and waits for the next one that comes back. */
  ask<T>(message: unknown, timeoutMs?: number): Promise<T> {
    this.send(message);
    return this.next<T>(timeoutMs);
  }

  /** Waits until it has written this to its standard output or error. */
  async wrote(text: string, timeoutMs?: number): Promise<void> {
    await waitFor(() => this.written.includes(text) || this.ended, {
      what: `"${text}" of ${String(this.file)}`,
      timeoutMs,
    });
    if (!this.written.includes(text)) throw this.error(`ended without writing "${text}"`);
  }

  /** Ends the process with a signal, by default SIGKILL; settles when it has ended. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<WorkerExit> {
    this.child.kill(signal);
    return this.exit;
  }

  /** SIGSTOP: the process stands still, its connections stay open. */
  pause(): void {
    pauseProcess(this.pid);
  }

  /** SIGCONT. */
  resume(): void {
    this.child.kill('SIGCONT');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  private received(message: unknown): void {
    const reader = this.readers.shift();
    if (reader) reader.resolve(message);
    else this.inbox.push(message);
  }

  private closed(exit: WorkerExit): WorkerExit {
    this.ended = exit;
    this.guard.forget();
    this.guard.release();
    for (const { reject } of this.readers.splice(0)) reject(this.error(`ended with ${JSON.stringify(exit)}`));
    return exit;
  }

  private error(what: string): Error {
    return new Error(
      `The worker ${String(this.file)} (pid ${this.child.pid ?? 'none'}) ${what}.\n${this.written}`,
    );
  }
}
