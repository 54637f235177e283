/** A member of an ensemble, as every other member knows it. */
export interface EnsembleMember {
  id: number;
  quorumPort: number;
  electionPort: number;
}

export interface ZooKeeperProcessOptions {
  /** Client port on 127.0.0.1. Default: a free one. */
  port?: number;
  /** ZooKeeper's tick in ms. Default 500. */
  tickTime?: number;
  /** Shortest session timeout that the server grants, in ms. Default 1,000. */
  minSessionTimeout?: number;
  /** Longest session timeout that the server grants, in ms. Default 60,000. */
  maxSessionTimeout?: number;
  /** How often empty containers are looked for, in ms. Default: the server's own, 60,000. */
  containerCheckMs?: number;
  /** Options of the Java machine. Default: small, `-Xmx384m -XX:+UseSerialGC`. */
  javaOptions?: string[];
  /** How long a start may take, in ms. Default 30,000. */
  startTimeoutMs?: number;
  /** All members of the ensemble; without them the server stands alone. */
  members?: EnsembleMember[];
  /** Which of the members this server is. */
  id?: number;
  /** Ticks that a follower may be behind its leader. Default 10. */
  syncLimit?: number;
}

/** One ZooKeeper server on 127.0.0.1, with its data in a temporary folder. It ends with the process that started it. */
export class ZooKeeperProcess implements AsyncDisposable {
  /** Starts a server and waits until it serves. */
  static start(options?: ZooKeeperProcessOptions): Promise<ZooKeeperProcess>;
  /** Prepares a server without starting it. */
  static create(options?: ZooKeeperProcessOptions): Promise<ZooKeeperProcess>;
  private constructor();
  readonly port: number;
  readonly connectString: string;
  /** Process id, undefined while the server is not running. */
  readonly pid: number | undefined;
  /** Starts the stopped or killed server on the same port and data, and waits until it serves. */
  start(): Promise<void>;
  /** Waits until the server answers with its mode; an ensemble needs a majority for that. */
  waitUntilServing(timeoutMs?: number): Promise<void>;
  /** Ends the server in good order (SIGTERM); its data stay for a `start()`. */
  stop(): Promise<void>;
  /** Ends the server with SIGKILL; its data stay for a `start()`. */
  kill(): Promise<void>;
  /** `stop()`, then `start()`. */
  restart(): Promise<void>;
  /** SIGSTOP: connections stay open, nothing is answered. */
  pause(): void;
  /** SIGCONT. */
  resume(): void;
  /** The answer to one of ZooKeeper's four-letter commands. */
  fourLetter(command: string, timeoutMs?: number): Promise<string>;
  /** The server's own figures, such as `zk_packets_received`. */
  mntr(): Promise<Record<string, number | string>>;
  /** `standalone`, `leader` or `follower`; undefined while the server does not serve. */
  mode(timeoutMs?: number): Promise<string | undefined>;
  /** The last lines that the server wrote. */
  log(): Promise<string>;
  /** Ends the server and removes its data. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Sends a four-letter command to the server on 127.0.0.1 and hands back its whole answer. */
export function fourLetter(port: number, command: string, timeoutMs?: number): Promise<string>;

/** The figures of the server on 127.0.0.1, such as `zk_packets_received`. */
export function mntr(port: number): Promise<Record<string, number | string>>;

/** `standalone`, `leader` or `follower`; undefined while no server serves on this port of 127.0.0.1. */
export function mode(port: number, timeoutMs?: number): Promise<string | undefined>;
