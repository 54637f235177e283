import { integers, oneOf, type OptionRules } from '../errors/check-options.js';
import { LockConfigError } from '../errors/lock-config.error.js';
import type { ServerConfig } from './server/server-run.js';

/** Options of `TestingServer.start`, all of them optional. */
export interface TestingServerOptions {
  /** 0 to 65,535; 0 (default) for a free one. */
  port?: number;
  /** Address to listen on. Default `127.0.0.1`. */
  host?: string;
  /** ZooKeeper's tickTime in ms: sessions expire in steps of it. Default 2,000. */
  tickTime?: number;
  /** Shortest session timeout in ms that a client gets. Default 2 ticks. */
  minSessionTimeout?: number;
  /** Longest session timeout in ms that a client gets. Default 20 ticks. */
  maxSessionTimeout?: number;
  /** `virtual`: time stands still until `clock.advance(ms)`. Default `real`. */
  clock?: 'real' | 'virtual';
  /** Time in ms between two looks for empty containers and outlived TTL nodes. Default 60,000, as ZooKeeper's. */
  containerCheckInterval?: number;
  /** Whether there are TTL nodes, as with ZooKeeper's extendedTypesEnabled. Default false, as there. */
  ttlNodes?: boolean;
  /** Longest request in bytes (jute.maxbuffer). Default 1,048,575. */
  maxBuffer?: number;
  /** Connections per client address; 0 (default) for no limit. ZooKeeper's own default is 60. */
  maxClientConnections?: number;
  /** Starts with NODE_ENV=production too. Default false. */
  force?: boolean;
}

export const RULES: OptionRules<TestingServerOptions> = {
  port: integers(0, 65_535),
  host: {
    allowed: 'addresses and host names',
    accepts: (value) => typeof value === 'string' && value !== '',
  },
  tickTime: integers(1, 3_600_000, ' ms'),
  minSessionTimeout: integers(1, 0x7fff_ffff, ' ms'),
  maxSessionTimeout: integers(1, 0x7fff_ffff, ' ms'),
  clock: oneOf('real', 'virtual'),
  containerCheckInterval: integers(1, 0x7fff_ffff, ' ms'),
  ttlNodes: oneOf(true, false),
  maxBuffer: integers(1_024, 0x3fff_ffff, ' bytes'),
  maxClientConnections: integers(0, 1_000_000),
  force: oneOf(true, false),
};

/** @throws {LockConfigError} when no session timeout is left. */
export function configOf(options: TestingServerOptions): ServerConfig {
  const { tickTime = 2_000 } = options;
  const { minSessionTimeout = 2 * tickTime, maxSessionTimeout = 20 * tickTime } = options;
  if (minSessionTimeout > maxSessionTimeout) {
    throw new LockConfigError(
      `minSessionTimeout ${minSessionTimeout} ms is above maxSessionTimeout ${maxSessionTimeout} ms. ` +
        `Without these options they are 2 and 20 ticks of ${tickTime} ms.`,
    );
  }
  return {
    host: options.host ?? '127.0.0.1',
    port: options.port ?? 0,
    tickTime,
    minSessionTimeout,
    maxSessionTimeout,
    containerCheckInterval: options.containerCheckInterval ?? 60_000,
    maxBuffer: options.maxBuffer ?? 0xf_ffff,
    maxClientConnections: options.maxClientConnections ?? 0,
  };
}
