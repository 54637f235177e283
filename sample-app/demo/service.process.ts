import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { ProcessGuard } from '../../scripts/zookeeper/process-guard.mjs';

const MAIN = fileURLToPath(new URL('../src/main.js', import.meta.url));
const START_MS = 60_000;
const STOP_MS = 15_000;

/** One process of the order service, on a free port. */
export class ServiceProcess {
  private constructor(
    private readonly child: ChildProcess,
    private readonly guard: ProcessGuard,
    readonly name: string,
    readonly url: string,
  ) {}

  /** Starts a process and waits until it listens. The guard ends it should the demo itself be killed. */
  static async start(name: string, env: NodeJS.ProcessEnv, guard: ProcessGuard): Promise<ServiceProcess> {
    const child = spawn(process.execPath, [MAIN], {
      env: { ...process.env, ...env, PORT: '0', HOST: '127.0.0.1', NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true, // a Ctrl-C in the terminal is for the demo to handle
    });
    await once(child, 'spawn');
    guard.watch(child.pid!);
    child.once('exit', () => guard.forget());
    return new ServiceProcess(child, guard, name, await listening(child));
  }

  get pid(): number {
    return this.child.pid!;
  }

  pause(): void {
    this.child.kill('SIGSTOP');
  }

  resume(): void {
    this.child.kill('SIGCONT');
  }

  /** Ends the process at once; it can give nothing back. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** Ends the process in good order. */
  async stop(): Promise<void> {
    this.resume();
    const impatience = setTimeout(() => this.child.kill('SIGKILL'), STOP_MS);
    await this.end('SIGTERM');
    clearTimeout(impatience);
    this.guard.release();
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit');
    this.child.kill(signal);
    await exited;
  }
}

/** Reads what the process logs, for as long as it lives, until it says where it listens. */
function listening(child: ChildProcess): Promise<string> {
  const log: string[] = [];
  return new Promise((resolve, reject) => {
    const fail = (what: string) =>
      reject(new Error(`The order service ${what}:\n${log.slice(-20).join('\n')}`));
    const late = setTimeout(() => {
      child.kill('SIGKILL');
      fail(`did not listen within ${START_MS} ms`);
    }, START_MS);
    child.once('exit', () => {
      clearTimeout(late);
      fail('ended while it started');
    });
    for (const stream of [child.stdout!, child.stderr!]) {
      createInterface(stream).on('line', (line) => {
        log.push(line);
        if (log.length > 100) log.shift();
        const url = /Listening on (http:\S+)/.exec(line)?.[1];
        if (url === undefined) return;
        clearTimeout(late);
        resolve(url);
      });
    }
  });
}
