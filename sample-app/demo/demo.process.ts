import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { ProcessGuard } from '../../scripts/zookeeper/process-guard.mjs';

const START_MS = 60_000;
const STOP_MS = 15_000;

/** What runs as a process of its own. */
export interface DemoProgram {
  /** For messages. */
  readonly name: string;
  readonly file: URL;
  readonly args?: readonly string[];
  /** Matches the line that it writes when it is ready; the first group is its address. */
  readonly ready: RegExp;
}

/** A process that the demo starts, pauses, kills and ends. */
export class DemoProcess {
  private constructor(
    private readonly child: ChildProcess,
    private readonly guard: ProcessGuard,
    /** Where it listens. */
    readonly address: string,
  ) {}

  /** Starts a process and waits until it is ready. The guard ends it should the demo itself be killed. */
  static async start(
    program: DemoProgram,
    guard: ProcessGuard,
    env: NodeJS.ProcessEnv = {},
  ): Promise<DemoProcess> {
    const child = spawn(process.execPath, [fileURLToPath(program.file), ...(program.args ?? [])], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true, // a Ctrl-C in the terminal is for the demo to handle
    });
    await once(child, 'spawn');
    guard.watch(child.pid!);
    child.once('exit', () => guard.forget());
    return new DemoProcess(child, guard, await ready(child, program));
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

/** Reads what the process writes, for as long as it lives, until it says where it listens. */
function ready(child: ChildProcess, program: DemoProgram): Promise<string> {
  const log: string[] = [];
  return new Promise((resolve, reject) => {
    const fail = (what: string) =>
      reject(new Error(`${program.name} ${what}:\n${log.slice(-20).join('\n')}`));
    const late = setTimeout(() => {
      child.kill('SIGKILL');
      fail(`was not ready within ${START_MS} ms`);
    }, START_MS);
    child.once('exit', () => {
      clearTimeout(late);
      fail('ended while it started');
    });
    for (const stream of [child.stdout!, child.stderr!]) {
      createInterface(stream).on('line', (line) => {
        log.push(line);
        if (log.length > 100) log.shift();
        const address = program.ready.exec(line)?.[1];
        if (address === undefined) return;
        clearTimeout(late);
        resolve(address);
      });
    }
  });
}
