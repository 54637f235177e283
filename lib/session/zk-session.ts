import { performance } from 'node:perf_hooks';
import { isOutcomeUnknown, ZkCode, ZkOperationError } from '../errors/zk-operation.error.js';
import { BackgroundDeletes } from './background-deletes.js';
import { Waiters, type Cancellation } from './cancellation.js';
import { ContainerParents, type ParentsOptions } from './container-parents.js';
import { Lease, now, type Moment } from './lease.js';
import { tellAll, type LockLogger } from './lock-logger.js';
import { Poke } from './poke.js';
import type { SessionMember } from './session-member.js';
import { SharedLists } from './shared-lists.js';
import { WatchRegistry } from './watch-registry.js';
import type { ZkAcl, ZkClient, ZkClientFactory, ZkClientOptions, ZkNodeKind, ZkStat } from './zk-client.js';

/** `connecting → connected ⇄ suspended → lost` (expired, refused or given up), and `closed` (by us). */
export type SessionState = 'connecting' | 'connected' | 'suspended' | 'lost' | 'closed';

/** One ZooKeeper session and the truth about it. When it is over it is over: its successor is another object. */
export class ZkSession {
  readonly lease = new Lease();
  readonly watches = new WatchRegistry();
  readonly lists = new SharedLists(this);
  readonly deletes = new BackgroundDeletes(this);
  readonly parents: ContainerParents;
  private readonly client: ZkClient;
  private readonly members = new Set<SessionMember>();
  private readonly waiters = new Waiters();
  private readonly poke = new Poke({
    isConnected: () => this.client.connected,
    send: () => this.client.sync('/'),
    catchUp: () => this.client.oldestRequestAt ?? this.catchUp(),
  });
  private current: SessionState = 'connecting';
  private connectionCount = 0;
  private connectedAt = 0;
  private timeoutMs: number;
  private tickedAt = 0;
  private tickTimer: NodeJS.Timeout | undefined;
  private leaseTimer: NodeJS.Timeout | undefined;

  /** @throws ZkOperationError when the client cannot start at all (unknown host). */
  constructor(
    open: ZkClientFactory,
    options: ZkClientOptions,
    parents: ParentsOptions,
    private readonly onChange: (session: ZkSession) => void,
    private readonly logger: LockLogger,
  ) {
    this.parents = new ContainerParents(this, parents);
    this.timeoutMs = options.sessionTimeoutMs;
    this.client = open(options, {
      connected: () => this.clientConnected(),
      disconnected: () => this.suspend(),
      closed: (reason) => this.end(reason === 'closed' ? 'closed' : 'lost', reason),
      watch: (event, path) => this.watches.dispatch(event, path),
    });
    this.poke.start();
  }

  get state(): SessionState {
    return this.current;
  }

  /** `0x…`, as ZooKeeper's own tools print it; `0x0` before the first connect. */
  get id(): string {
    return `0x${this.client.sessionId}`;
  }

  /** As agreed on at the latest connect; it stays known when the session is over. */
  get negotiatedTimeoutMs(): number {
    return this.timeoutMs;
  }

  get isOver(): boolean {
    return this.current === 'lost' || this.current === 'closed';
  }

  /** Changes with every break of the connection: events of one connection arrive in the order of the changes. */
  get connectionNumber(): number {
    return this.connectionCount;
  }

  /** True when a lock may be granted now: connected, and the ensemble certainly keeps the session. */
  get canGrant(): boolean {
    return this.current === 'connected' && this.client.connected && this.lease.isFresh();
  }

  owns(stat: ZkStat): boolean {
    return stat.ephemeralOwner === this.client.sessionId;
  }

  /** While there are members the lease is kept fresh. */
  join(member: SessionMember): void {
    this.members.add(member);
    this.watchLease();
  }

  leave(member: SessionMember): void {
    this.members.delete(member);
  }

  /** Resolves when connected; rejects when the session is over. */
  connected(cancellation?: Cancellation): Promise<void> {
    if (this.current === 'connected') return Promise.resolve();
    if (this.isOver) return Promise.reject(this.overError());
    return this.waiters.wait(cancellation);
  }

  create(path: string, data: Buffer, kind: ZkNodeKind): Promise<string> {
    return this.throughLeader(() => this.client.create(path, data, kind));
  }

  delete(path: string): Promise<void> {
    return this.throughLeader(() => this.client.delete(path));
  }

  /** Overwrites the data if the node has this version; -1 overwrites any. */
  set(path: string, data: Buffer, version: number): Promise<void> {
    return this.throughLeader(() => this.client.set(path, data, version));
  }

  setAcl(path: string, acl: readonly ZkAcl[]): Promise<void> {
    return this.throughLeader(() => this.client.setAcl(path, acl));
  }

  /** Catches up with the leader, and makes the lease fresh. */
  sync(): Promise<void> {
    return this.throughLeader(() => this.client.sync('/'));
  }

  /** With `watch`, the next event on the path goes to its listeners in `watches`. A missing node leaves no watch. */
  get(path: string, watch = false): Promise<{ data: Buffer; stat: ZkStat }> {
    return this.read(path, watch, () => this.client.get(path, watch));
  }

  getChildren(path: string, watch = false): Promise<{ children: string[]; stat: ZkStat }> {
    return this.read(path, watch, () => this.client.getChildren(path, watch));
  }

  /** Whether there is such a node; the next event on the path, its creation too, goes to its listeners in `watches`. */
  watchExistence(path: string): Promise<boolean> {
    return this.read(path, true, () => this.client.exists(path, true));
  }

  /** Resolves when all deletes of this moment are confirmed, and all requests answered; rejects when the connection breaks. */
  async quiet(): Promise<void> {
    await this.deletes.settled();
    if (this.client.oldestRequestAt !== undefined) await this.sync(); // answers come in the order of the requests
  }

  /** Ends a session that cannot be trusted to work any more; the ensemble removes its nodes. */
  giveUp(reason: string): void {
    this.end('lost', reason);
  }

  close(): void {
    this.end('closed', 'closed by us');
  }

  private read<T>(path: string, watch: boolean, request: () => Promise<T>): Promise<T> {
    if (watch) this.watches.arm(path);
    return request().catch((error: unknown) => {
      if (watch) this.watches.disarm(path);
      this.noteTrouble(error);
      throw error;
    });
  }

  private throughLeader<T>(request: () => Promise<T>): Promise<T> {
    const sentAt = now();
    return request().then(
      (result) => {
        this.confirm(sentAt);
        return result;
      },
      (error: unknown) => {
        if (error instanceof ZkOperationError && error.answeredByServer) this.confirm(sentAt);
        else this.noteTrouble(error);
        throw error;
      },
    );
  }

  private confirm(sentAt: Moment): void {
    if (!this.lease.isFresh()) this.expireLease(); // whoever held before this answer has lost, whatever it says
    this.lease.confirm(sentAt);
    this.watchLease();
  }

  /** The `connecting` event does not come in every case: a request that broke is as good a sign. */
  private noteTrouble(error: unknown): void {
    if (!isOutcomeUnknown(error) || this.current !== 'connected') return;
    if (error.zkCode === ZkCode.sessionExpired || error.zkCode === ZkCode.closing) return; // `closed` follows
    this.suspend();
    if (this.client.connected) this.clientConnected();
  }

  private clientConnected(): void {
    if (this.isOver) return;
    this.connectedAt = performance.now();
    this.timeoutMs = this.client.negotiatedTimeoutMs;
    if (!this.lease.isFresh()) this.expireLease(); // a longer timeout must not revive it
    this.lease.setTimeout(this.timeoutMs);
    clearInterval(this.tickTimer);
    this.tickedAt = performance.now();
    this.tickTimer = setInterval(() => this.tick(), this.timeoutMs / 6).unref();
    this.catchUp();
  }

  private catchUp(): void {
    const connection = this.connectionCount;
    this.sync().then(
      () => {
        if (connection === this.connectionCount) this.restore();
      },
      () => undefined, // broken again: the next connect, or the next poke, comes here again
    );
  }

  private restore(): void {
    if (this.current === 'connected' || this.isOver) return;
    this.poke.stop();
    this.current = 'connected';
    this.waiters.resolveAll();
    this.onChange(this);
    this.tellMembers((member) => member.restored?.());
  }

  private suspend(): void {
    if (this.isOver) return;
    this.connectionCount += 1;
    if (this.current !== 'connected') return;
    this.current = 'suspended';
    this.poke.start();
    this.onChange(this);
  }

  private tick(): void {
    const interval = this.timeoutMs / 6;
    const late = performance.now() - this.tickedAt > 2 * interval; // answers may be waiting behind this very timer
    this.tickedAt = performance.now();
    const oldest = this.client.oldestRequestAt;
    if (!late && oldest !== undefined && this.client.connected) {
      const waited = performance.now() - Math.max(oldest, this.connectedAt);
      if (waited > this.timeoutMs) {
        this.giveUp(`a request was not answered for ${Math.round(waited)} ms on an open connection`);
        return;
      }
    }
    if (this.current !== 'connected') return;
    this.tellMembers((member) => member.tick?.());
    if (this.members.size > 0 && this.lease.ageMs() >= this.keepAliveMs) this.sync().catch(() => undefined);
  }

  /** A sixth of the timeout; a third, which leaves the lease another one, while there are only waiters. */
  private get keepAliveMs(): number {
    for (const { onlyWaits = false } of this.members) if (!onlyWaits) return this.timeoutMs / 6;
    return this.timeoutMs / 3;
  }

  /** One timer for all: it wakes at the deadline it knew of and looks whether that has moved. */
  private watchLease(): void {
    if (this.leaseTimer !== undefined || this.members.size === 0 || this.isOver) return;
    const remaining = this.lease.remainingMs();
    if (remaining <= 0) return;
    this.leaseTimer = setTimeout(() => {
      this.leaseTimer = undefined;
      if (this.lease.isFresh()) this.watchLease();
      else this.expireLease();
    }, Math.ceil(remaining)).unref();
  }

  private expireLease(): void {
    this.tellMembers((member) => member.leaseExpired?.());
  }

  private tellMembers(tell: (member: SessionMember) => void): void {
    tellAll(this.members, tell, this.logger);
  }

  private end(state: 'lost' | 'closed', reason: string): void {
    if (this.isOver) return;
    this.current = state;
    this.connectionCount += 1;
    this.poke.stop();
    clearInterval(this.tickTimer);
    clearTimeout(this.leaseTimer);
    const id = this.id;
    this.client.close();
    if (state === 'lost') this.logger.warn(`ZooKeeper session ${id} is over: ${reason}`);
    this.waiters.rejectAll(this.overError());
    this.tellMembers((member) => member.ended?.());
    this.members.clear();
    this.onChange(this);
  }

  private overError(): ZkOperationError {
    return new ZkOperationError('session', this.id, ZkCode.sessionExpired);
  }
}
