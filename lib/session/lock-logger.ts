import { inspect } from 'node:util';

/** Where the library writes its log lines. Nest's `Logger` fits. */
export interface LockLogger {
  debug(message: string): void;
  log(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** The same logger, of which no failure reaches the caller: a full disk must not stop the news of a lost lock. */
export function unfailing(logger: LockLogger): LockLogger {
  const quietly = (write: (message: string) => void) => (message: string) => quiet(() => write(message));
  return {
    debug: quietly((message) => logger.debug(message)),
    log: quietly((message) => logger.log(message)),
    warn: quietly((message) => logger.warn(message)),
    error: quietly((message) => logger.error(message)),
  };
}

/** What fails later counts, too: an async function where a plain one was expected. */
function quiet(action: () => unknown, failed: (error: unknown) => void = () => undefined): void {
  try {
    const result = action();
    if (result instanceof Promise) result.catch(failed);
  } catch (error) {
    failed(error);
  }
}

/** Calls every listener, whatever the others do; what one throws or rejects with is logged. */
export function tellAll<L>(
  listeners: Iterable<L>,
  tell: (listener: L) => unknown,
  logger: LockLogger,
  what = 'A listener',
): void {
  for (const listener of [...listeners]) {
    quiet(
      () => tell(listener),
      (error) => logger.error(`${what} threw: ${inspect(error)}`),
    );
  }
}
