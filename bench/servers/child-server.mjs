// A server as a child process, with its data in a temporary folder. It ends with this process, however this ends.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../scripts/zookeeper/free-port.mjs';
import { ProcessGuard } from '../../scripts/zookeeper/process-guard.mjs';

const START_MS = 30_000;

export class ChildServer {
  #child;
  #folder;
  #guard;

  /**
   * Starts a server and waits until it listens.
   * @param {string} command
   * @param {(place: { port: number, folder: string, otherPort: number }) => string[]} argumentsFor
   */
  static async start(command, argumentsFor) {
    const folder = await mkdtemp(join(tmpdir(), `${command}-`));
    const server = new ChildServer(folder);
    try {
      await server.#start(command, argumentsFor);
      return server;
    } catch (error) {
      await server[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** @private use `start` */
  constructor(folder) {
    this.#folder = folder;
    this.#guard = new ProcessGuard(folder);
  }

  get address() {
    return `127.0.0.1:${this.port}`;
  }

  get pids() {
    return this.#child?.exitCode === null ? [this.#child.pid] : [];
  }

  /** Ends the server and removes its data. */
  async [Symbol.asyncDispose]() {
    const child = this.#child;
    if (child?.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      child.ref();
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
    this.#guard.forget();
    await rm(this.#folder, { recursive: true, force: true });
    this.#guard.release();
  }

  async #start(command, argumentsFor) {
    this.port = await freePort();
    const otherPort = await freePort();
    const logFile = join(this.#folder, 'server.log');
    const log = await open(logFile, 'a');
    const args = argumentsFor({ port: this.port, folder: this.#folder, otherPort });
    this.#child = spawn(command, args, { stdio: ['ignore', log.fd, log.fd], detached: true });
    await once(this.#child, 'spawn');
    this.#guard.watch(this.#child.pid);
    this.#child.unref();
    await log.close();
    const deadline = performance.now() + START_MS;
    while (!(await listens(this.port))) {
      if (this.pids.length > 0 && performance.now() < deadline) await sleep(50);
      else throw new Error(`${command} did not start.\n${(await readFile(logFile, 'utf8')).slice(-2_000)}`);
    }
  }
}

function listens(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
