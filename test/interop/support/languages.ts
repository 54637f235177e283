import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findZooKeeper } from '../../../scripts/zookeeper/find-zookeeper.mjs';
import { ProcessGuard } from '../../../scripts/zookeeper/process-guard.mjs';
import { ZooKeeperServer, type ZooKeeperServerOptions } from '../../support/zookeeper-server.js';
import { Peer } from './peer.js';

const DEBIAN_JARS = ['curator-recipes', 'curator-framework', 'curator-client', 'guava'].map(
  (name) => `/usr/share/java/${name}.jar`,
);
const DEBIAN_PYTHON = '/usr/bin/python3'; // the one for which Debian's kazoo is installed
const COMPILE_MS = 120_000;
const SESSION_MS = 20_000;

const file = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const run = promisify(execFile);

/** A ZooKeeper server, and processes in several languages that share their locks on it. All end with it. */
export class Languages implements AsyncDisposable {
  private readonly peers: Peer[] = [];

  private constructor(
    readonly server: ZooKeeperServer,
    /** A temporary folder. */
    readonly folder: string,
    private readonly guard: ProcessGuard,
    private readonly classPath: string,
  ) {}

  static async start(options?: ZooKeeperServerOptions): Promise<Languages> {
    const folder = await mkdtemp(join(tmpdir(), 'zk-lock-interop-'));
    const guard = new ProcessGuard(folder);
    try {
      const classPath = await compileCuratorWorker(folder);
      return new Languages(await ZooKeeperServer.start(options), folder, guard, classPath);
    } catch (error) {
      guard.release();
      throw error;
    }
  }

  /** Java with Apache Curator. `sessionTimeoutMs`, by default 20,000, is that of each of its actors. */
  java(sessionTimeoutMs = SESSION_MS): Peer {
    const jvm = ['-Xmx256m', '-XX:+UseSerialGC', '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn'];
    return this.peer('java', findZooKeeper().java, [...jvm, '-cp', this.classPath, 'CuratorWorker'], {
      sessionTimeoutMs,
    });
  }

  /** This library. */
  node(sessionTimeoutMs = SESSION_MS): Peer {
    const loader = new URL('../../support/ts-loader.mjs', import.meta.url).href;
    return this.peer('node', process.execPath, ['--import', loader, file('node.worker.ts')], {
      sessionTimeoutMs,
    });
  }

  /** Python with kazoo. */
  python(sessionTimeoutMs = SESSION_MS): Peer {
    return this.peer('python', process.env.KAZOO_PYTHON ?? DEBIAN_PYTHON, [file('python/kazoo_worker.py')], {
      sessionTimeoutMs,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.peers.map((peer) => peer[Symbol.asyncDispose]()));
    await this.server[Symbol.asyncDispose]();
    this.guard.release();
  }

  private peer(
    language: string,
    command: string,
    args: readonly string[],
    { sessionTimeoutMs }: { sessionTimeoutMs: number },
  ): Peer {
    const peer = new Peer(language, command, [...args, this.server.connectString, String(sessionTimeoutMs)]);
    this.peers.push(peer);
    return peer;
  }
}

/** @returns the class path to run it with. */
async function compileCuratorWorker(folder: string): Promise<string> {
  const curator = process.env.CURATOR_CLASSPATH ?? DEBIAN_JARS.join(delimiter);
  if (!curator.split(delimiter).every((jar) => existsSync(jar))) {
    throw new Error(
      `Apache Curator is not complete on this machine: ${curator}.\nOn Debian or Ubuntu: apt-get install ` +
        'libcurator-recipes-java; elsewhere set CURATOR_CLASSPATH to its jars (recipes, framework, client) and guava.',
    );
  }
  const classPath = [folder, curator, findZooKeeper().classPath].join(delimiter);
  const sources = ['java/CuratorWorker.java', 'java/LockPaths.java'].map(file);
  await run('javac', ['-nowarn', '-cp', classPath, '-d', folder, ...sources], { timeout: COMPILE_MS });
  return classPath;
}
