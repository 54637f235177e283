// Texts of the module, of its options and of its start and end. Tests import them.

const of = (connectionName: string | undefined): string =>
  connectionName === undefined ? '' : ` "${connectionName}"`;

/** How a value is shown in an error: its type matters ("15000" is not 15000), its length does not. */
export function shown(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'bigint' || typeof value === 'symbol') return String(value);
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) return 'undefined';
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

export const OPTION_MISSING = (option: string, allowed: string): string =>
  `ZkLockModule: ${option} is missing. Expected ${allowed}.`;

export const OPTION_INVALID = (option: string, value: string, allowed: string): string =>
  `ZkLockModule: ${option} is ${value}. Expected ${allowed}.`;

export const OPTION_UNKNOWN = (
  option: string,
  nearest: string | undefined,
  names: readonly string[],
): string =>
  `ZkLockModule: there is no option "${option}".${nearest === undefined ? '' : ` Did you mean "${nearest}"?`} Known: ${names.join(', ')}.`;

export const OPTION_IS_EXTRA = (option: string): string =>
  `ZkLockModule: ${option} shapes the module itself, so it must be known before the factory runs: write it beside useFactory, useClass or useExisting, not into its result.`;

export const ASYNC_SOURCE_INVALID = (given: readonly string[]): string =>
  `ZkLockModule.forRootAsync: expected exactly one of useFactory, useClass and useExisting, got ${given.length === 0 ? 'none' : given.join(' and ')}.`;

export const WITHOUT_FOR_ROOT =
  'ZkLockModule is imported as a class, without its options. ' +
  'Potential solutions: import ZkLockModule.forRoot(…) or forRootAsync(…) in the root module, and nothing elsewhere (isGlobal makes it visible everywhere).';

export const CONNECTION_TWICE = (connectionName: string | undefined): string =>
  `ZkLockModule: ${connectionName === undefined ? 'the default connection' : `the connection "${connectionName}"`} is set up twice. ` +
  'Potential solutions: call forRoot once, in the root module (isGlobal makes it visible everywhere); or give the second one another connectionName.';

export const STARTED = (
  connectionName: string | undefined,
  server: string,
  sessionId: string,
  timeoutMs: number,
  lockSites: number,
): string =>
  `ZkLock${of(connectionName)} connected ${server} session ${sessionId} (timeout ${timeoutMs} ms), ${lockSites} lock ${lockSites === 1 ? 'site' : 'sites'}`;

export const NOT_YET_CONNECTED = (
  connectionName: string | undefined,
  server: string,
  timeoutMs: number,
): string =>
  `ZkLock${of(connectionName)}: still no session with ZooKeeper at ${server} after ${timeoutMs} ms; trying on. ` +
  'Locks cannot be had until then.';

export const NOT_CONNECTED_AT_START = (
  connectionName: string | undefined,
  server: string,
  timeoutMs: number,
): string =>
  `ZkLock${of(connectionName)}: no session with ZooKeeper at ${server} within ${timeoutMs} ms (connectTimeoutMs). ` +
  "Potential solutions: check connectString and that the servers run; allow more time; or let the application start without ZooKeeper (startup: 'background').";

export const TIMEOUT_CLAMPED = (
  connectionName: string | undefined,
  askedMs: number,
  grantedMs: number,
): string =>
  `ZkLock${of(connectionName)}: the server changed sessionTimeoutMs from ${askedMs} to ${grantedMs} ms. ` +
  'Its minSessionTimeout and maxSessionTimeout (by default 2 and 20 ticks) allow no other: change these, or the option.';

export const TIMEOUT_UNUSUAL = (connectionName: string | undefined, timeoutMs: number): string =>
  `ZkLock${of(connectionName)}: sessionTimeoutMs is ${timeoutMs}; in production 10000 to 30000 ms serve best. ` +
  'Shorter loses locks to a long garbage collection, longer makes others wait for a killed process.';

export const NO_SHUTDOWN_HOOKS = (signal: string): string =>
  `ZkLock: nothing in this process listens for ${signal}. Without app.enableShutdownHooks() a stopped process keeps its locks until its session times out, and others wait for it at every deploy.`;

export const UNKNOWN_CONNECTION = (connectionName: string | undefined): string =>
  connectionName === undefined
    ? 'ZkLock: there is no default connection. Potential solutions: import ZkLockModule.forRoot(…) without a connectionName; or name the connection.'
    : `ZkLock: there is no connection "${connectionName}". Potential solutions: import ZkLockModule.forRoot({ connectionName: '${connectionName}', … }); or check the name.`;

export const TERMINUS_MISSING =
  'ZkLockHealthIndicator needs the package @nestjs/terminus, which could not be loaded: npm install @nestjs/terminus';
