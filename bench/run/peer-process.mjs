// One process of a peer: started, told to go, read, and ended with this one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { ProcessGuard } from '../../scripts/zookeeper/process-guard.mjs';

const LIMIT_MS = 300_000;
const KEPT_OUTPUT = 2_000;

export class PeerProcess {
  #child;
  #out = '';
  #errors = '';
  #guard = new ProcessGuard();
  #onReady;
  /** Resolves when the process waits for `go`. */
  ready = new Promise((resolve) => (this.#onReady = resolve));
  /** Resolves to what it reports; rejects when it ends without. */
  report;

  constructor([command, ...args]) {
    this.#child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    if (this.#child.pid !== undefined) this.#guard.watch(this.#child.pid);
    this.#child.stdin.on('error', () => undefined); // it may have ended
    this.#child.stdout.setEncoding('utf8').on('data', (text) => {
      this.#out += text;
      if (this.#out.startsWith('READY\n')) this.#onReady();
    });
    this.#child.stderr
      .setEncoding('utf8')
      .on('data', (text) => (this.#errors = (this.#errors + text).slice(-KEPT_OUTPUT)));
    this.report = this.#read();
    this.report.catch(() => undefined); // until somebody asks
  }

  go(message) {
    this.#child.stdin.write(`${message}\n`);
  }

  kill() {
    this.#child.kill('SIGKILL');
  }

  async #read() {
    const limit = setTimeout(() => this.kill(), LIMIT_MS);
    try {
      await once(this.#child, 'close');
      const line = this.#out.split('\n').find((text) => text.startsWith('{'));
      if (line === undefined) throw new Error(this.#errors.trim() || 'ended without a report');
      return { ...JSON.parse(line), ...(this.#errors !== '' && { said: this.#errors.trim() }) };
    } finally {
      clearTimeout(limit);
      this.#guard.forget();
      this.#guard.release();
    }
  }
}
