const EVERY_MS = 100;
const MAX_PENDING = 50;

/** What is needed of a session to poke it. */
export interface Pokeable {
  /** True while the client has a connection. */
  isConnected(): boolean;
  /** Sends a request that only has to be answered; rejects while there is no connection. */
  send(): Promise<void>;
  /** There is a connection, but the session has not caught up over it. */
  catchUp(): void;
}

/**
 * Sends a request every 100 ms while a session is not usable: some clients reconnect sooner for it, a break is never
 * without a callback that tells of it, and a catching up that failed is tried again.
 */
export class Poke {
  private timer: NodeJS.Timeout | undefined;
  private pending = 0;

  constructor(private readonly target: Pokeable) {}

  start(): void {
    this.stop();
    this.timer = setInterval(() => this.poke(), EVERY_MS).unref();
    this.poke();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private poke(): void {
    if (this.target.isConnected()) {
      this.target.catchUp();
      return;
    }
    if (this.pending >= MAX_PENDING) return;
    this.pending += 1;
    this.target
      .send()
      .catch(() => undefined)
      .finally(() => (this.pending -= 1));
  }
}
