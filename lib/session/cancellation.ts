/** Something that can end a wait from outside: the deadline, the caller's signal or the shutdown of one call. */
export interface Cancellation {
  /** Calls the listener once, with the reason, when the wait is over; the returned function takes it away. */
  onOver(listener: (reason: Error) => void): () => void;
}

/** Waiting callers that are all let go at once; one that is cancelled leaves nothing behind. */
export class Waiters {
  private readonly waiting = new Set<{ resolve: () => void; reject: (error: Error) => void }>();

  wait(cancellation?: Cancellation): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      let forget: () => void = () => undefined;
      const settle = (end: () => void): void => {
        this.waiting.delete(waiter);
        forget();
        end();
      };
      const waiter = {
        resolve: () => settle(resolve),
        reject: (error: Error) => settle(() => reject(error)),
      };
      this.waiting.add(waiter);
      if (cancellation !== undefined) forget = cancellation.onOver(waiter.reject);
    });
  }

  resolveAll(): void {
    for (const waiter of [...this.waiting]) waiter.resolve();
  }

  rejectAll(error: Error): void {
    for (const waiter of [...this.waiting]) waiter.reject(error);
  }
}
