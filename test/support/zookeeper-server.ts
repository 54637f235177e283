import {
  ZooKeeperProcess,
  type ZooKeeperProcessOptions,
} from '../../scripts/zookeeper/zookeeper-process.mjs';
import { EmbeddedServer } from './embedded/embedded-server.js';

export type ZooKeeperServerOptions = Pick<
  ZooKeeperProcessOptions,
  'port' | 'tickTime' | 'minSessionTimeout' | 'maxSessionTimeout' | 'containerCheckMs'
>;

/** One ZooKeeper server on 127.0.0.1, whichever. */
export interface ZooKeeperServer {
  readonly port: number;
  readonly connectString: string;
  /** Starts the stopped server on the same port and data. */
  start(): Promise<void>;
  /** Ends it in good order; its data stay for a `start()`. */
  stop(): Promise<void>;
  /** Connections stay open, nothing is answered. */
  pause(): void | Promise<void>;
  /** Ends a pause, if there is one. */
  resume(): void | Promise<void>;
  /** `standalone`; undefined while the server does not serve. */
  mode(): Promise<string | undefined>;
  /** The answer to one of ZooKeeper's four-letter commands. */
  fourLetter(command: string, timeoutMs?: number): Promise<string>;
  /** The server's own figures, such as `zk_packets_received`. */
  mntr(): Promise<Record<string, number | string>>;
  /** Ends it and forgets its data. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * The server that tests run against: a real ZooKeeper, or with ZK_SERVER=embedded the one of `nestjs-zk-lock/testing`.
 * Tests for which only one of them will do start that one by its own name: see server-suites.mjs.
 */
export const ZooKeeperServer = {
  /** Starts a server on a free port and waits until it serves. */
  start(options: ZooKeeperServerOptions = {}): Promise<ZooKeeperServer> {
    const { ZK_SERVER = 'real' } = process.env;
    if (ZK_SERVER === 'real') return ZooKeeperProcess.start(options);
    if (ZK_SERVER === 'embedded') return EmbeddedServer.start(options);
    throw new Error(`ZK_SERVER is '${ZK_SERVER}'; allowed are 'real' (default) and 'embedded'.`);
  },
};
