/** Where the library writes its log lines. Nest's `Logger` fits. */
export interface LockLogger {
  debug(message: string): void;
  log(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}
