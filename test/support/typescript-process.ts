import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { waitFor } from './wait-for.js';

const REGISTER = new URL('./typescript-register.mjs', import.meta.url).href;

/** A TypeScript file of this repository as a process of its own. It is killed at the latest when it is disposed of. */
export class TypeScriptProcess implements AsyncDisposable {
  /** Everything that it wrote, to stdout and stderr. */
  output = '';
  private readonly child: ChildProcess;
  private readonly exited: Promise<unknown>;

  /** @param file URL of a `.ts` file */
  constructor(file: URL, env: NodeJS.ProcessEnv = {}) {
    const { NODE_OPTIONS: _jestOnly, ...inherited } = process.env;
    this.child = spawn(process.execPath, ['--no-warnings', '--import', REGISTER, fileURLToPath(file)], {
      env: { ...inherited, NO_COLOR: '1', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.exited = once(this.child, 'exit');
    const collect = (chunk: Buffer): void => void (this.output += chunk.toString());
    this.child.stdout?.on('data', collect);
    this.child.stderr?.on('data', collect);
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Waits until it wrote this. */
  async wrote(text: string): Promise<void> {
    await waitFor(() => this.output.includes(text) || this.hasEnded, { what: `"${text}" of a process` });
    if (!this.output.includes(text)) throw new Error(`The process ended without "${text}":\n${this.output}`);
  }

  /** Waits for its end by itself: the exit code, or the signal that ended it. */
  async ended(): Promise<number | NodeJS.Signals | null> {
    await this.exited;
    return this.child.exitCode ?? this.child.signalCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.hasEnded) this.child.kill('SIGKILL');
    await this.exited;
  }

  private get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }
}
