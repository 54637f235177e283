import { LockConfigError } from '../errors/lock-config.error.js';
import type { AnyHold, HoldTarget } from './any-hold.js';

/** A lock held in this process only, while ZooKeeper is unreachable and the user asked for that. */
export class LocalHold implements AnyHold {
  readonly degraded = true;
  readonly acquiredAt = new Date();
  /** It cannot be lost: nobody else can take it away. */
  readonly lossError = undefined;
  readonly signal: AbortSignal = new AbortController().signal;
  private held = true;

  constructor(
    readonly target: HoldTarget,
    private readonly onRelease: () => void,
  ) {}

  get fencingToken(): bigint {
    throw new LockConfigError(
      `The lock "${this.target.key}" is degraded (held in this process only): it has no fencing token. ` +
        'Look at "degraded" first, or do without whenUnreachable: \'local\'.',
      { key: this.target.key },
    );
  }

  isHeld(): boolean {
    return this.held;
  }

  verify(): Promise<boolean> {
    return Promise.resolve(this.isHeld());
  }

  /** Nobody outside of this process knows of it. */
  onReleaseRequested(): () => void {
    return () => undefined;
  }

  /** It has no limits, and cannot be lost. */
  handOut(): void {
    return;
  }

  abandon(): void {
    void this.release();
  }

  release(): Promise<void> {
    if (this.held) {
      this.held = false;
      this.onRelease();
    }
    return Promise.resolve();
  }
}
