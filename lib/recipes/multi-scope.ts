import { inspect } from 'node:util';
import { LockConfigError } from '../errors/lock-config.error.js';
import type { HeldLock, LockMode, LockState } from './held-lock.js';
import { describe } from './lock-handle.js';
import type { ReleaseRequest } from './release-request.js';
import { ContextScope, type HoldScope } from './lock-context.js';

/** One entry into several holds. */
export class MultiScope extends ContextScope {
  readonly lock: HeldLock;

  /** @param keysByPath the keys that meet in one node; by default each has its own. */
  constructor(
    key: string,
    private readonly scopes: readonly HoldScope[],
    keysByPath: ReadonlyMap<string, ReadonlySet<string>> = new Map(),
  ) {
    super(scopes.at(-1));
    const locks = scopes.map((scope) => scope.lock);
    this.lock = new MultiHandle(key, locks, keysByPath);
  }

  end(): Promise<void> {
    return this.lock.release();
  }

  abandon(): void {
    for (const scope of [...this.scopes].reverse()) scope.abandon();
  }
}

/** The `HeldLock` of several keys: held while all are held. */
class MultiHandle implements HeldLock {
  readonly mode: LockMode;
  readonly signal: AbortSignal;
  readonly acquiredAt = new Date();

  constructor(
    readonly key: string,
    private readonly locks: readonly HeldLock[],
    private readonly keysByPath: ReadonlyMap<string, ReadonlySet<string>>,
  ) {
    const [first] = locks;
    this.mode =
      first !== undefined && locks.every(({ mode }) => mode === first.mode) ? first.mode : 'exclusive';
    this.signal = AbortSignal.any(locks.map((lock) => lock.signal));
  }

  get path(): string {
    return [...new Set(this.locks.map((lock) => lock.path))].join(', ');
  }

  get degraded(): boolean {
    return this.locks.some((lock) => lock.degraded);
  }

  get fencingToken(): bigint {
    const [first] = this.locks;
    // One key, or several permits of it.
    if (first !== undefined && this.locks.every(({ key }) => key === first.key)) return first.fencingToken;
    throw new LockConfigError(`The lock "${this.key}" has one fencing token per key: read "fencingTokens".`);
  }

  get fencingTokens(): ReadonlyMap<string, bigint> {
    return new Map(
      this.locks.flatMap(({ path, key, fencingToken }) =>
        [...(this.keysByPath.get(path) ?? [key])].map((each) => [each, fencingToken] as const),
      ),
    );
  }

  on(event: 'release-requested', listener: (request: ReleaseRequest) => void): () => void {
    const forget = this.locks.map((lock) => lock.on(event, listener));
    return () => {
      for (const each of forget) each();
    };
  }

  get state(): LockState {
    const states = this.locks.map((lock) => lock.state);
    if (states.includes('lost')) return 'lost';
    return states.includes('released') ? 'released' : 'held';
  }

  isHeld(): boolean {
    return this.locks.every((lock) => lock.isHeld());
  }

  assertHeld(): void {
    for (const lock of this.locks) lock.assertHeld();
  }

  async verify(): Promise<boolean> {
    const answers = await Promise.all(this.locks.map((lock) => lock.verify()));
    return answers.every(Boolean);
  }

  async release(): Promise<void> {
    await Promise.all([...this.locks].reverse().map((lock) => lock.release()));
  }

  toJSON(): object {
    return describe(this);
  }

  [inspect.custom](): string {
    return `HeldLock ${inspect(describe(this))}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }
}
