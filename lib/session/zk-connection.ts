import { performance } from 'node:perf_hooks';
import { inspect } from 'node:util';
import { checkListener } from '../errors/check-options.js';
import { LockConnectionError } from '../errors/lock-connection.error.js';
import { isOutcomeUnknown, isZkOperationError } from '../errors/zk-operation.error.js';
import { LockShutdownError } from '../errors/lock-shutdown.error.js';
import { Backoff, DEFAULT_RETRY, type RetryPolicy } from './backoff.js';
import { Waiters, type Cancellation } from './cancellation.js';
import { tellAll, unfailing, type LockLogger } from './lock-logger.js';
import { NativeZkClient } from './native-zk-client.js';
import type { ZkAcl, ZkClientFactory } from './zk-client.js';
import { ServerAddresses } from './server-addresses.js';
import { ZkSession, type SessionState } from './zk-session.js';

/** `lost` lasts only until the next session is opened, which happens by itself. */
export type ConnectionState = SessionState;

/** What happened to the connection. `restored` is the way back from `suspended` in the same session. */
export interface ConnectionChange {
  readonly event: 'connected' | 'suspended' | 'restored' | 'lost' | 'closed';
  /** The session it happened to, `0x…`. */
  readonly sessionId: string;
  readonly at: Date;
}

export type ConnectionListener = (change: ConnectionChange) => void;

/** The connection at a glance. */
export interface ConnectionInfo {
  readonly state: ConnectionState;
  /** How long it has been in this state, in ms. */
  readonly sinceMs: number;
  /** `0x…`; undefined before the first connect. */
  readonly sessionId?: string;
  readonly negotiatedTimeoutMs?: number;
  /** The servers that the client may use; which one it chose it does not tell. */
  readonly server: string;
  /** Deletes of lock nodes that the ensemble has not confirmed yet. */
  readonly pendingDeletes: number;
}

export interface ZkConnectionOptions {
  /** `host:port,host:port`, without a chroot. */
  readonly hosts: string;
  /** `''` or `/a/b`; made when missing. */
  readonly chroot: string;
  /** Parent of all locks, below the chroot. */
  readonly root: string;
  readonly sessionTimeoutMs: number;
  readonly auth?: { readonly scheme: string; readonly credentials: string };
  /** Set on the root and every parent that is made; undefined leaves them open to the world. */
  readonly acl?: readonly ZkAcl[];
  /** How tries to open a session are spaced. Default: `DEFAULT_RETRY`. */
  readonly retry?: RetryPolicy;
}

/** Sessions in succession: a lost one is replaced by a new one, for ever, until `close()`. */
export class ZkConnection {
  private session: ZkSession | undefined;
  private readonly logger: LockLogger;
  private readonly backoff: Backoff;
  private retryTimer: NodeJS.Timeout | undefined;
  private closing = false;
  private everConnected = false;
  /** Why the client could not even start, while that is so. */
  private startProblem: string | undefined;
  private readonly servers: ServerAddresses;
  /** From then on sessions follow each other by themselves. */
  private started = false;
  private changedAt = performance.now();
  private lastState: ConnectionState = 'connecting';
  private readonly waiters = new Waiters();
  private readonly listeners = new Set<ConnectionListener>();

  constructor(
    private readonly options: ZkConnectionOptions,
    logger: LockLogger,
    private readonly open: ZkClientFactory = (clientOptions, listener) =>
      NativeZkClient.open(clientOptions, listener),
  ) {
    this.logger = unfailing(logger);
    this.backoff = new Backoff(options.retry ?? DEFAULT_RETRY);
    this.servers = new ServerAddresses(options.hosts);
  }

  /** Where all locks live: chroot and root. */
  get rootPath(): string {
    return `${this.options.chroot}${this.options.root}`;
  }

  /** Nothing of it is shown by accident, its credentials least of all. */
  toJSON(): object {
    return this.info();
  }

  [inspect.custom](): string {
    return `ZkConnection ${inspect(this.info())}`;
  }

  /** Below it is everything; `''` when there is none. */
  get chroot(): string {
    return this.options.chroot;
  }

  /** Opens the first session. Whoever needs a session first does so, too. */
  start(): void {
    if (this.started || this.closing) return;
    this.started = true;
    void this.openSession();
  }

  get state(): ConnectionState {
    if (this.closing) return 'closed';
    return this.session?.state ?? this.lastState;
  }

  /** The session of this moment, if it is connected. */
  get connectedSession(): ZkSession | undefined {
    return this.session?.state === 'connected' ? this.session : undefined;
  }

  info(): ConnectionInfo {
    const known = this.session !== undefined && this.session.id !== '0x0';
    return {
      state: this.state,
      sinceMs: Math.round(performance.now() - this.changedAt),
      ...(known && { sessionId: this.session?.id, negotiatedTimeoutMs: this.session?.negotiatedTimeoutMs }),
      server: this.options.hosts,
      pendingDeletes: this.session?.deletes.size ?? 0,
    };
  }

  /** Calls the listener at every change; the returned function takes it away. */
  on(event: 'state', listener: ConnectionListener): () => void {
    checkListener(event, ['state'], listener);
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /**
   * Resolves to a connected session, however long that takes; the caller brings its own end.
   * @throws LockShutdownError once the connection is closed, or the reason of the cancellation.
   */
  async ready(cancellation?: Cancellation): Promise<ZkSession> {
    this.start();
    for (;;) {
      if (this.closing) throw new LockShutdownError('The connection to ZooKeeper is closed.');
      const session = this.connectedSession;
      if (session !== undefined) return session;
      await this.waiters.wait(cancellation);
    }
  }

  /** @throws LockConnectionError when no session is connected within `timeoutMs`. */
  async connected(timeoutMs: number): Promise<void> {
    await this.within(timeoutMs, (deadline) => this.ready(deadline));
  }

  /** Round-trip time in ms of a request that goes through the leader (a `sync`).
   * @throws LockConnectionError when it is not answered within `timeoutMs`. */
  async ping(timeoutMs: number): Promise<number> {
    return this.within(timeoutMs, async (deadline) => {
      for (;;) {
        const session = await this.ready(deadline);
        const start = performance.now();
        try {
          await session.sync();
          return performance.now() - start;
        } catch (error) {
          if (!isOutcomeUnknown(error)) throw error; // else the connection broke: ask again over the next one
        }
      }
    });
  }

  /**
   * Closes the session: its nodes go at once. Waits before that, at most `waitMs`, until the ensemble has nothing left to
   * answer: the C client closes its socket as soon as it can read anything, which resets it, and a server that is just
   * writing then drops the request that ends the session, so that the session's nodes stay until its timeout.
   */
  async close(waitMs = 0): Promise<void> {
    if (this.closing) return;
    const { session } = this;
    if (session?.state === 'connected' && waitMs > 0) {
      await this.within(waitMs, () => session.quiet()).catch(() => undefined);
    }
    this.closing = true;
    clearTimeout(this.retryTimer);
    session?.close();
    this.waiters.resolveAll();
    this.changed('closed', session);
  }

  private async openSession(): Promise<void> {
    const { servers } = this;
    const { hosts, chroot, root, sessionTimeoutMs, auth, acl } = this.options;
    // With an ACL the root is persistent: a container that the server reaps takes its ACL with it.
    const persistentUpTo = acl === undefined ? chroot : `${chroot}${root}`;
    try {
      await servers.lookUp();
      if (this.closing) return;
      this.session = new ZkSession(
        this.open,
        { servers, sessionTimeoutMs, auth },
        { persistentUpTo, acl },
        (session) => this.sessionChanged(session),
        this.logger,
      );
      this.startProblem = undefined;
    } catch {
      if (this.closing) return;
      this.startProblem = `none of ${hosts} could be resolved to an address`;
      if (!this.backoff.hasFailed) this.logger.error(`ZooKeeper cannot be used: ${this.startProblem}.`);
      this.openSessionLater();
    }
  }

  private openSessionLater(): void {
    this.retryTimer = setTimeout(() => void this.openSession(), this.backoff.nextMs());
  }

  private sessionChanged(session: ZkSession): void {
    if (session !== this.session || this.closing) return; // a late word of an old session changes nothing
    const before = this.lastState;
    if (session.state === 'connected') {
      this.backoff.succeeded();
      this.waiters.resolveAll();
      this.changed(before === 'suspended' ? 'restored' : 'connected', session);
    } else if (session.state === 'suspended') {
      this.changed('suspended', session);
    } else if (session.isOver) {
      this.openSessionLater();
      this.changed('lost', session);
    }
  }

  private changed(event: ConnectionChange['event'], session: ZkSession | undefined): void {
    this.lastState = event === 'restored' ? 'connected' : event;
    this.changedAt = performance.now();
    this.logChange(event, session);
    const change: ConnectionChange = { event, sessionId: session?.id ?? '0x0', at: new Date() };
    tellAll(this.listeners, (listener) => listener(change), this.logger);
  }

  /** A line for each turn of an outage, never one for each try. */
  private logChange(event: ConnectionChange['event'], session: ZkSession | undefined): void {
    const of = `ZooKeeper session ${session?.id ?? '0x0'}`;
    if (event === 'suspended') {
      this.logger.warn(`${of}: the connection is broken; locks are held until their lease ends.`);
    }
    if (event === 'restored') this.logger.log(`${of}: connected again.`);
    if (event === 'connected' && this.everConnected)
      this.logger.log(`${of}: a new one after the loss of the last.`);
    this.everConnected ||= event === 'connected';
  }

  /** Settles like `ask`, or rejects after `timeoutMs`; waits of `ask` that know the deadline end with it. */
  private async within<T>(timeoutMs: number, ask: (deadline: Cancellation) => Promise<T>): Promise<T> {
    const listeners = new Set<(reason: Error) => void>();
    const onOver = (listener: (reason: Error) => void): (() => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    };
    const timer = setTimeout(() => {
      const { hosts } = this.options;
      const reason = new LockConnectionError(
        `ZooKeeper at ${hosts} did not answer within ${timeoutMs} ms (${this.startProblem ?? this.state}).`,
      );
      for (const listener of [...listeners]) listener(reason);
    }, timeoutMs);
    try {
      return await Promise.race([ask({ onOver }), new Promise<never>((_resolve, reject) => onOver(reject))]);
    } catch (error) {
      throw publicConnectionError(error, this.options.hosts);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** A request that broke is as good as none that was answered. */
function publicConnectionError(error: unknown, hosts: string): unknown {
  if (!isZkOperationError(error)) return error;
  return new LockConnectionError(`ZooKeeper at ${hosts} did not answer (${error.message}).`, {
    cause: error,
    zkCode: error.zkCode,
  });
}
