// A real ZooKeeper server as a child process, for the demo, the tests and the benchmarks.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findZooKeeper } from './find-zookeeper.mjs';
import { freePort } from './free-port.mjs';
import { pauseProcess } from './pause-process.mjs';
import { ProcessGuard } from './process-guard.mjs';

const START_ATTEMPTS = 3;
const STOP_MS = 5_000;

/** One ZooKeeper server on 127.0.0.1, with its data in a temporary folder. It ends with the process that started it. */
export class ZooKeeperProcess {
  #options;
  #folder;
  #guard;
  #child;

  /** Starts a server and waits until it serves. A free port is chosen when none is given. */
  static async start(options = {}) {
    for (let attempt = 1; ; attempt++) {
      const server = await ZooKeeperProcess.create(options);
      try {
        await server.start();
        return server;
      } catch (error) {
        await server[Symbol.asyncDispose]();
        if (options.port !== undefined || attempt === START_ATTEMPTS) throw error;
      }
    }
  }

  /** Prepares a server without starting it. */
  static async create(options = {}) {
    const port = options.port ?? (await freePort());
    const folder = await mkdtemp(join(tmpdir(), 'zookeeper-'));
    const server = new ZooKeeperProcess({ ...options, port }, folder);
    await server.#writeConfig();
    return server;
  }

  /** @private use `start` or `create` */
  constructor(options, folder) {
    this.#options = options;
    this.#folder = folder;
    this.#guard = new ProcessGuard(folder);
  }

  get port() {
    return this.#options.port;
  }

  get connectString() {
    return `127.0.0.1:${this.port}`;
  }

  /** Process id, undefined while the server is not running. */
  get pid() {
    return this.#child?.pid;
  }

  /** Starts the stopped or killed server on the same port and data, and waits until it serves. */
  async start() {
    if (this.#child) throw new Error(`The ZooKeeper server on port ${this.port} is already running.`);
    const { java, classPath } = findZooKeeper();
    const log = await open(join(this.#folder, 'server.log'), 'a');
    const child = spawn(
      java,
      [...this.#javaArguments(), '-cp', classPath, MAIN, join(this.#folder, 'zoo.cfg')],
      {
        stdio: ['ignore', log.fd, log.fd],
        detached: true, // a Ctrl-C in the terminal is for the parent to handle
      },
    );
    if (child.pid) this.#guard.watch(child.pid);
    this.#child = child;
    child.unref();
    child.once('exit', () => {
      this.#guard.forget();
      this.#child = undefined;
    });
    await log.close();
    await this.waitUntilServing();
  }

  /** Waits until the server answers with its mode (standalone, leader or follower). */
  async waitUntilServing(timeoutMs = this.#options.startTimeoutMs ?? 30_000) {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      if (!this.#child)
        throw new Error(`The ZooKeeper server on port ${this.port} ended.\n${await this.log()}`);
      if (await this.#serves()) return;
      if (performance.now() > deadline) {
        throw new Error(
          `The ZooKeeper server on port ${this.port} did not serve within ${timeoutMs} ms.\n${await this.log()}`,
        );
      }
      await sleep(50);
    }
  }

  /** Ends the server in good order; its data stay for a `start()`. */
  async stop() {
    this.resume();
    await this.#end('SIGTERM');
  }

  /** Ends the server with SIGKILL; its data stay for a `start()`. */
  async kill() {
    await this.#end('SIGKILL');
  }

  /** Ends the server and starts it again on the same port and data. */
  async restart() {
    await this.stop();
    await this.start();
  }

  /** Stops the process where it stands (SIGSTOP): connections stay open, nothing is answered. */
  pause() {
    if (this.pid !== undefined) pauseProcess(this.pid);
  }

  /** Lets a paused process go on. */
  resume() {
    this.#child?.kill('SIGCONT');
  }

  /** The answer to one of ZooKeeper's four-letter commands. */
  fourLetter(command, timeoutMs = 2_000) {
    return fourLetter(this.port, command, timeoutMs);
  }

  /** The server's own figures, such as `zk_packets_received`. */
  mntr() {
    return mntr(this.port);
  }

  /** `standalone`, `leader` or `follower`; undefined while the server does not serve. */
  mode(timeoutMs = 1_000) {
    return mode(this.port, timeoutMs);
  }

  /** The last lines that the server wrote. */
  async log() {
    const text = await readFile(join(this.#folder, 'server.log'), 'utf8').catch(() => '');
    return text.slice(-4_000);
  }

  /** Ends the server and removes its data. */
  async [Symbol.asyncDispose]() {
    await this.kill();
    await rm(this.#folder, { recursive: true, force: true });
    this.#guard.release();
  }

  async #serves() {
    if (!(await this.mode(500))) return false;
    // on a port that was taken, somebody else's server answers
    const config = await this.fourLetter('conf', 500).catch(() => '');
    return config.includes(this.#folder);
  }

  async #end(signal) {
    const child = this.#child;
    if (!child) return;
    child.ref();
    const exited = once(child, 'exit');
    child.kill(signal);
    const impatience = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await exited;
    clearTimeout(impatience);
  }

  async #writeConfig() {
    const {
      members,
      id,
      tickTime = 500,
      minSessionTimeout = 1_000,
      maxSessionTimeout = 60_000,
    } = this.#options;
    const data = join(this.#folder, 'data');
    await mkdir(data);
    const lines = [
      `tickTime=${tickTime}`,
      `dataDir=${data}`,
      `clientPort=${this.port}`,
      'clientPortAddress=127.0.0.1',
      `minSessionTimeout=${minSessionTimeout}`,
      `maxSessionTimeout=${maxSessionTimeout}`,
      'maxClientCnxns=0',
      'admin.enableServer=false',
      '4lw.commands.whitelist=*',
    ];
    if (members) {
      lines.push('initLimit=20', `syncLimit=${this.#options.syncLimit ?? 10}`);
      lines.push(...members.map((m) => `server.${m.id}=127.0.0.1:${m.quorumPort}:${m.electionPort}`));
      await writeFile(join(data, 'myid'), `${id}\n`);
    }
    await writeFile(join(this.#folder, 'zoo.cfg'), `${lines.join('\n')}\n`);
  }

  #javaArguments() {
    const { containerCheckMs, javaOptions = ['-Xmx384m', '-XX:+UseSerialGC'] } = this.#options;
    return [
      ...javaOptions,
      '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
      ...(containerCheckMs === undefined ? [] : [`-Dznode.container.checkIntervalMs=${containerCheckMs}`]),
    ];
  }
}

const MAIN = 'org.apache.zookeeper.server.quorum.QuorumPeerMain';

/** Sends a four-letter command to the server on 127.0.0.1 and hands back its whole answer. */
export function fourLetter(port, command, timeoutMs = 2_000) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    socket.setEncoding('utf8');
    socket.setTimeout(timeoutMs, () => {
      socket.destroy(
        new Error(`ZooKeeper on port ${port} did not answer "${command}" within ${timeoutMs} ms.`),
      );
    });
    socket.on('connect', () => socket.write(command));
    socket.on('data', (text) => (answer += text));
    socket.on('error', reject);
    socket.on('close', () => resolve(answer));
  });
}

/** The figures of the server on 127.0.0.1, such as `zk_packets_received`. */
export async function mntr(port) {
  const lines = (await fourLetter(port, 'mntr')).split('\n').map((line) => line.split('\t'));
  return Object.fromEntries(
    lines.filter(([, value]) => value !== undefined).map(([name, value]) => [name, asNumber(value)]),
  );
}

/** `standalone`, `leader` or `follower`; undefined while no server serves on this port of 127.0.0.1. */
export async function mode(port, timeoutMs = 1_000) {
  const answer = await fourLetter(port, 'srvr', timeoutMs).catch(() => '');
  return /^Mode: (\w+)$/m.exec(answer)?.[1];
}

function asNumber(text) {
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}
