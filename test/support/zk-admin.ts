import { once, type EventEmitter } from 'node:events';
import ZooKeeper from 'zookeeper';
import { waitFor } from './wait-for.js';

const REQUEST_MS = 10_000;
const NO_NODE = -101;
const KINDS = {
  persistent: 0,
  ephemeral: 1,
  sequential: 2,
  'ephemeral-sequential': 3,
  container: 4,
} as const;

export type NodeKind = keyof typeof KINDS;

/** The figures of a node that tests look at. */
export interface NodeStat {
  czxid: number;
  mzxid: number;
  pzxid: number;
  version: number;
  cversion: number;
  numChildren: number;
  /** Session id in hex, `0` for nodes that are not ephemeral. */
  ephemeralOwner: string;
}

/** A request that ZooKeeper refused, or that was not answered. */
export class ZkAdminError extends Error {
  constructor(
    request: string,
    /** ZooKeeper's error number. */
    readonly code: number,
  ) {
    super(`${request}: error ${code}`);
    this.name = 'ZkAdminError';
  }
}

type Answer<T extends unknown[]> = (rc: number, message: string, ...results: T) => void;

/** The callback methods of the package; its own types are wrong about the callbacks. Each returns a code: 0 means queued. */
export interface RawClient extends EventEmitter {
  init(config: object): unknown;
  close(): void;
  /** 3 is connected. */
  readonly state: number;
  /** Session id in hex. */
  readonly client_id: string;
  /** In hex. */
  readonly client_password: string;
  a_create(path: string, data: string | Buffer, flags: number, answer: Answer<[path: string]>): number;
  a_delete_(path: string, version: number, answer: Answer<[]>): number;
  a_exists(path: string, watch: boolean, answer: Answer<[NodeStat]>): number;
  a_get(path: string, watch: boolean, answer: Answer<[NodeStat, Buffer | null]>): number;
  a_get_children(path: string, watch: boolean, answer: Answer<[string[]]>): number;
  a_set(path: string, data: string | Buffer, version: number, answer: Answer<[NodeStat]>): number;
  a_sync(path: string, answer: Answer<[]>): number;
  add_auth(scheme: string, credentials: string, answer: Answer<[]>): number;
}

/** A second pair of eyes in tests: a client of its own, independent of the library, that sees what really is on the server. */
export class ZkAdmin implements AsyncDisposable {
  private constructor(
    /** The raw client, for requests that have no method here. */
    readonly raw: RawClient,
  ) {}

  /** Connects within 10 s. */
  static async connect(connectString: string, sessionTimeoutMs = 30_000): Promise<ZkAdmin> {
    const raw = new ZooKeeper({
      connect: connectString,
      timeout: sessionTimeoutMs,
      debug_level: 0,
      host_order_deterministic: false,
      response_counter_limit: 1_000_000,
    }) as unknown as RawClient;
    const connected = once(raw, 'connect', { signal: AbortSignal.timeout(REQUEST_MS) });
    raw.init({});
    try {
      await connected;
    } catch (error) {
      raw.close();
      throw new Error(`No ZooKeeper at ${connectString} within ${REQUEST_MS} ms`, { cause: error });
    }
    return new ZkAdmin(raw);
  }

  /** Names of the children in alphabetical order; none when the node does not exist. */
  async children(path: string): Promise<string[]> {
    this.sync(path);
    const names = this.request(`children of ${path}`, (done: Answer<[string[]]>) =>
      this.raw.a_get_children(path, false, done),
    );
    return names.then(([found]) => found.toSorted(), orIfNoNode<string[]>([]));
  }

  /** @throws {ZkAdminError} with code -101 when the node does not exist */
  async get(path: string): Promise<{ data: string; stat: NodeStat }> {
    this.sync(path);
    const [stat, data] = await this.request(`get ${path}`, (done: Answer<[NodeStat, Buffer | null]>) =>
      this.raw.a_get(path, false, done),
    );
    return { data: data?.toString() ?? '', stat };
  }

  exists(path: string): Promise<boolean> {
    this.sync(path);
    const stat = this.request(`exists ${path}`, (done: Answer<[NodeStat]>) =>
      this.raw.a_exists(path, false, done),
    );
    return stat.then(() => true, orIfNoNode(false));
  }

  /** Creates a node and hands back its path, with its sequence number if it has one. Parents have to exist: see `ensure`. */
  async create(path: string, data = '', kind: NodeKind = 'persistent'): Promise<string> {
    const [created] = await this.request(`create ${path}`, (done: Answer<[string]>) =>
      this.raw.a_create(path, data, KINDS[kind], done),
    );
    return created;
  }

  /** Creates the node and its parents as persistent nodes where they are missing. */
  async ensure(path: string): Promise<void> {
    const names = path.split('/').slice(1);
    for (const index of names.keys()) {
      const node = `/${names.slice(0, index + 1).join('/')}`;
      if (!(await this.exists(node))) await this.create(node);
    }
  }

  async set(path: string, data: string): Promise<void> {
    await this.request(`set ${path}`, (done: Answer<[NodeStat]>) => this.raw.a_set(path, data, -1, done));
  }

  /** Deletes a node without children; false when it was not there. */
  delete(path: string): Promise<boolean> {
    const deleted = this.request(`delete ${path}`, (done: Answer<[]>) => this.raw.a_delete_(path, -1, done));
    return deleted.then(() => true, orIfNoNode(false));
  }

  /** Deletes a node and everything under it. */
  async deleteTree(path: string): Promise<void> {
    for (const child of await this.children(path)) await this.deleteTree(`${path}/${child}`);
    await this.delete(path);
  }

  /** Waits until the node has this many children, or such as please the predicate, and hands them back. */
  waitForChildren(
    path: string,
    wanted: number | ((names: string[]) => boolean),
    timeoutMs?: number,
  ): Promise<string[]> {
    const pleases = typeof wanted === 'number' ? (names: string[]) => names.length === wanted : wanted;
    let last: string[] = [];
    const look = async () => {
      last = await this.children(path);
      return pleases(last) ? last : undefined;
    };
    const what = () =>
      `${String(wanted)} children under ${path}; there are ${last.length}: ${last.join(', ')}`;
    return waitFor(look, { what, timeoutMs });
  }

  close(): void {
    this.raw.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }

  /** Lets the read behind it see everything that was written before, on a follower too. Its own answer does not matter. */
  private sync(path: string): void {
    this.raw.a_sync(path, () => undefined);
  }

  /** One request, with a callback of its own: the package stores its handle on the function. */
  private request<T extends unknown[]>(what: string, send: (done: Answer<T>) => number): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`${what}: no answer within ${REQUEST_MS} ms`)),
        REQUEST_MS,
      );
      const refuse = (code: number) => {
        clearTimeout(timer);
        reject(new ZkAdminError(what, code));
      };
      const queued = send((rc, _message, ...results) => {
        if (rc !== 0) {
          refuse(rc);
          return;
        }
        clearTimeout(timer);
        resolve(results);
      });
      if (queued !== 0) refuse(queued);
    });
  }
}

function orIfNoNode<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof ZkAdminError && error.code === NO_NODE) return value;
    throw error;
  };
}
