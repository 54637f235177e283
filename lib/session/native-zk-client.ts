import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import ZooKeeper from 'zookeeper';
import { isZkOperationError, ZkCode, ZkOperationError } from '../errors/zk-operation.error.js';
import { DescriptorGuard } from './descriptor-guard.js';
import { ServerList } from './server-list.js';
import type {
  ZkAcl,
  ZkClient,
  ZkClientListener,
  ZkClientOptions,
  ZkNodeKind,
  ZkPermission,
  ZkStat,
} from './zk-client.js';

const CONNECTED_STATE = 3;
/** Of a client without a socket, after an error and at the beginning. */
const SOCKETLESS_STATES = [0, 999];
const EXPIRED_STATE = -112;
const AUTH_FAILED_STATE = -113;
const NODE_FLAGS: Record<ZkNodeKind, number> = {
  persistent: 0,
  ephemeral: 1,
  'ephemeral-sequential': 3,
  container: 4,
};
const PERMISSION_BITS: Record<ZkPermission, number> = { read: 1, write: 2, create: 4, delete: 8, admin: 16 };
/** How often names are looked up again while there is no connection. */
const NAMES_EVERY_MS = 5_000;
/** How often it is looked whether the client still has a socket. */
const SOCKET_EVERY_MS = 50;
/** Empty polls in a row after which the package would declare the session expired by itself; out of reach. */
const NEVER = 1_000_000;

/** Called with the result code, its text, and up to two results. */
type Callback = (rc: number, message: string, ...results: never[]) => void;
const METHODS = [
  'a_create',
  'a_delete_',
  'a_exists',
  'a_get',
  'a_get_children2',
  'a_set',
  'a_set_acl',
  'a_sync',
  'add_auth',
] as const;
type Method = (typeof METHODS)[number];
/** The callback methods of the package; they return a negative code when the request could not even be queued. */
type NativeApi = Record<Method, (...args: unknown[]) => number> & { set_servers?: (hosts: string) => number };

/**
 * The addon object has the same methods as the package's class, without formatting every argument for a logger
 * that is off (`exists` takes 0.29 ms instead of 0.50). It is not declared, so its shape is checked.
 */
function fastestApi(client: ZooKeeper): NativeApi {
  const native = (client as unknown as { native?: Partial<NativeApi> }).native;
  const usable = native !== undefined && METHODS.every((method) => typeof native[method] === 'function');
  return (usable ? native : client) as unknown as NativeApi;
}

/** The port over npm `zookeeper`: the only file that knows the package. One object is one session. */
export class NativeZkClient implements ZkClient {
  static open(options: ZkClientOptions, listener: ZkClientListener): ZkClient {
    return new NativeZkClient(options, listener);
  }

  private readonly client: ZooKeeper;
  private readonly api: NativeApi;
  /** Unanswered requests, oldest first: when each was made, and how to reject it. */
  private readonly pending = new Map<(code: number) => void, number>();
  private readonly descriptors: DescriptorGuard;
  private readonly servers: ServerList;
  /** Which search for the servers goes on: each break begins a new one. */
  private search = 0;
  private closed = false;

  private constructor(
    private readonly options: ZkClientOptions,
    private readonly listener: ZkClientListener,
  ) {
    const { servers } = options;
    this.servers = new ServerList(servers);
    this.descriptors = new DescriptorGuard(servers.ports);
    this.client = new ZooKeeper({
      connect: this.servers.next(),
      timeout: options.sessionTimeoutMs,
      debug_level: 0,
      host_order_deterministic: false,
      response_counter_limit: NEVER,
    });
    this.client.on('connect', () => {
      this.descriptors.release();
      this.descriptors.note(true);
      listener.connected();
    });
    this.client.on('connecting', () => {
      this.descriptors.hold();
      this.api.set_servers?.(this.servers.next());
      void this.followNames();
      listener.disconnected();
    });
    for (const event of ['created', 'deleted', 'changed', 'child'] as const) {
      this.client.on(event, (_client: unknown, path: string) => listener.watch(event, path));
    }
    this.client.on('close', (_client: unknown, code: number) => {
      this.settleAll();
      this.descriptors.release();
      listener.closed(
        code === EXPIRED_STATE ? 'expired' : code === AUTH_FAILED_STATE ? 'auth-failed' : 'closed',
      );
    });
    this.client.init({});
    // The package hides why the C client could not start; without a handle its timeout reads -1.
    if (this.client.timeout === -1) {
      throw new ZkOperationError('connect', servers.latest, ZkCode.badArguments);
    }
    this.api = fastestApi(this.client);
    if (options.auth !== undefined) {
      // Sent with every connect by the C client. A refusal closes the session as auth-failed.
      this.api.add_auth(options.auth.scheme, options.auth.credentials, () => undefined);
    }
    void this.followNames(NAMES_EVERY_MS);
  }

  get sessionId(): string {
    return String(this.client.client_id);
  }

  get negotiatedTimeoutMs(): number {
    return this.client.timeout;
  }

  get connected(): boolean {
    return !this.closed && this.client.state === CONNECTED_STATE;
  }

  get oldestRequestAt(): number | undefined {
    for (const at of this.pending.values()) return at;
    return undefined;
  }

  create(path: string, data: Buffer, kind: ZkNodeKind): Promise<string> {
    return this.request('a_create', path, [data, NODE_FLAGS[kind]], (created: string) => created);
  }

  delete(path: string): Promise<void> {
    return this.request('a_delete_', path, [-1], () => undefined);
  }

  get(path: string, watch: boolean): Promise<{ data: Buffer; stat: ZkStat }> {
    return this.request('a_get', path, [watch], (stat: ZkStat, data: Buffer | null) => ({
      stat,
      data: data ?? Buffer.alloc(0),
    }));
  }

  exists(path: string, watch: boolean): Promise<boolean> {
    return this.request('a_exists', path, [watch], () => true).catch((error: unknown) => {
      if (isZkOperationError(error, ZkCode.noNode)) return false;
      throw error;
    });
  }

  set(path: string, data: Buffer, version: number): Promise<void> {
    return this.request('a_set', path, [data, version], () => undefined);
  }

  getChildren(path: string, watch: boolean): Promise<{ children: string[]; stat: ZkStat }> {
    return this.request('a_get_children2', path, [watch], (children: string[], stat: ZkStat) => ({
      children,
      stat,
    }));
  }

  setAcl(path: string, acl: readonly ZkAcl[]): Promise<void> {
    const entries = acl.map(({ scheme, id, permissions }) => ({
      scheme,
      auth: id,
      perm: permissions.reduce((bits, permission) => bits | PERMISSION_BITS[permission], 0),
    }));
    return this.request('a_set_acl', path, [-1, entries], () => undefined);
  }

  sync(path: string): Promise<void> {
    return this.request('a_sync', path, [], () => undefined);
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.client.close();
    this.settleAll();
  }

  /** One request. A fresh callback each time: the package stores its handle on the function. */
  private request<T>(
    method: Method,
    path: string,
    args: unknown[],
    result: (...results: never[]) => T,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const fail = (code: number): void => {
        this.pending.delete(fail);
        reject(new ZkOperationError(method, path, code));
      };
      const answer: Callback = (rc, _message, ...results) => {
        if (rc === ZkCode.ok) {
          this.pending.delete(fail);
          resolve(result(...results));
        } else {
          if (!this.connected) this.descriptors.hold();
          fail(rc);
        }
      };
      if (this.closed) {
        fail(ZkCode.closing);
        return;
      }
      const wasConnected = this.connected;
      if (!wasConnected) this.descriptors.note();
      this.pending.set(fail, performance.now());
      const queued = this.api[method](path, ...args, answer);
      if (wasConnected) this.noticeBreak();
      if (queued !== ZkCode.ok) fail(queued);
    });
  }

  /**
   * When the C client finds its socket broken as it sends a request, it closes it and tells nobody: its poll handle goes on
   * polling that number, and it connects again when its next ping is due, up to a third of the session timeout later.
   */
  private noticeBreak(): void {
    if (this.connected) return;
    this.descriptors.hold();
    void this.followNames();
    queueMicrotask(() => !this.closed && this.listener.disconnected());
  }

  /** Until there is a connection (again): the servers' names may stand for other addresses by now. */
  private async followNames(afterMs = 0): Promise<void> {
    const { servers } = this.options;
    const search = ++this.search;
    const goesOn = (): boolean => search === this.search && !this.closed && !this.connected;
    for (let waitMs = afterMs; !servers.areFixed; waitMs = NAMES_EVERY_MS) {
      await sleep(waitMs, undefined, { ref: false }); // as the break is told, the client still takes itself for connected
      if (!goesOn()) return;
      const before = servers.latest;
      await servers.lookUp().catch(() => undefined);
      if (servers.latest !== before) await this.changeServers(goesOn);
    }
  }

  /** Not while the client has a socket: it would close it, and pause twice as long as after any other break. */
  private async changeServers(goesOn: () => boolean): Promise<void> {
    while (goesOn()) {
      if (SOCKETLESS_STATES.includes(this.client.state)) {
        this.api.set_servers?.(this.servers.next());
        return;
      }
      await sleep(SOCKET_EVERY_MS, undefined, { ref: false });
    }
  }

  /** After the end of the session nothing will be answered any more. */
  private settleAll(): void {
    this.closed = true;
    for (const fail of [...this.pending.keys()]) fail(ZkCode.closing);
  }
}
