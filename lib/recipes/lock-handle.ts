import { inspect } from 'node:util';
import { checkListener } from '../errors/check-options.js';
import { LockNotHeldError } from '../errors/lock-not-held.error.js';
import type { AnyHold } from './any-hold.js';
import type { HeldLock, LockMode, LockState } from './held-lock.js';
import { publicError } from './public-error.js';
import type { ReleaseRequest } from './release-request.js';

/** The `HeldLock` of one key: one entry into a hold, released for itself. */
export class LockHandle implements HeldLock {
  private released = false;

  /** @param onRelease called once, when this entry ends. */
  constructor(
    private readonly hold: AnyHold,
    private readonly onRelease: () => Promise<void>,
  ) {}

  get key(): string {
    return this.hold.target.key;
  }

  get path(): string {
    const { owner, home, path } = this.hold.target;
    return owner.publicPath(home ?? path);
  }

  get mode(): LockMode {
    return this.hold.target.mode;
  }

  get degraded(): boolean {
    return this.hold.degraded;
  }

  get fencingToken(): bigint {
    return this.hold.fencingToken;
  }

  get fencingTokens(): ReadonlyMap<string, bigint> {
    return new Map([[this.key, this.fencingToken]]);
  }

  get acquiredAt(): Date {
    return this.hold.acquiredAt;
  }

  get signal(): AbortSignal {
    return this.hold.signal;
  }

  get state(): LockState {
    if (this.isHeld()) return 'held';
    return this.hold.lossError === undefined || this.released ? 'released' : 'lost';
  }

  isHeld(): boolean {
    return !this.released && this.hold.isHeld();
  }

  assertHeld(): void {
    if (this.isHeld()) {
      if (!this.degraded) return;
      throw new LockNotHeldError(`The lock "${this.key}" is degraded: it is held in this process only.`, {
        key: this.key,
      });
    }
    if (this.state === 'lost' && this.hold.lossError !== undefined) throw this.hold.lossError;
    throw new LockNotHeldError(`The lock "${this.key}" was released and is not held any more.`, {
      key: this.key,
    });
  }

  async verify(): Promise<boolean> {
    if (this.released) return false;
    try {
      return await this.hold.verify();
    } catch (error) {
      throw publicError(error, this.key);
    }
  }

  on(event: 'release-requested', listener: (request: ReleaseRequest) => void): () => void {
    checkListener(event, ['release-requested'], listener);
    return this.hold.onReleaseRequested(listener);
  }

  async release(): Promise<void> {
    if (!this.released) {
      // A loss that came first is remembered: the lock stays "lost" for whoever asks.
      this.released = this.hold.isHeld();
    }
    await this.onRelease();
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

/** What a log line or a response may show of a lock. Tokens are strings: JSON has no bigint. */
export function describe(lock: HeldLock): object {
  const { key, path, mode, state, degraded, acquiredAt } = lock;
  const tokens = degraded ? [] : [...lock.fencingTokens].map(([of, token]) => [of, String(token)] as const);
  return { key, path, mode, state, degraded, acquiredAt, fencingTokens: Object.fromEntries(tokens) };
}
