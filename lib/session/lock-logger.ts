/** Where the library writes its log lines. Nest's `Logger` fits. */
export interface LockLogger {
  debug(message: string): void;
  log(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** The same logger, of which no failure reaches the caller: a full disk must not stop the news of a lost lock. */
export function unfailing(logger: LockLogger): LockLogger {
  const quietly = (write: (message: string) => void) => (message: string) =>
    void attempt(() => write(message));
  return {
    debug: quietly((message) => logger.debug(message)),
    log: quietly((message) => logger.log(message)),
    warn: quietly((message) => logger.warn(message)),
    error: quietly((message) => logger.error(message)),
  };
}

/** Runs `action`; returns what it threw, if it did. */
export function attempt(action: () => void): unknown {
  try {
    action();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Calls every listener, whatever the others do; what one throws is logged. */
export function tellAll<L>(listeners: Iterable<L>, tell: (listener: L) => void, logger: LockLogger): void {
  for (const listener of [...listeners]) {
    const error = attempt(() => tell(listener));
    if (error !== undefined) logger.error(`A listener threw: ${String(error)}`);
  }
}
