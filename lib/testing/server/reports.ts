import type { Database } from '../data/database.js';
import type { Clock } from './clock.js';
import type { Connection } from './connection.js';
import type { Connections } from './connections.js';
import { hex } from './hex.js';
import type { Sessions } from './sessions.js';
import type { TrafficStats } from './traffic-stats.js';

/** What there is to report of a server. */
export interface ReportParts {
  readonly database: Database;
  readonly sessions: Sessions;
  readonly connections: Connections;
  readonly stats: TrafficStats;
  readonly clock: Clock;
  /** In ms of `elapsed()`. */
  readonly startedAt: number;
  readonly config: {
    readonly port: number;
    readonly tickTime: number;
    readonly maxClientConnections: number;
    readonly minSessionTimeout: number;
    readonly maxSessionTimeout: number;
  };
}

/** A four-letter word's answer, in ZooKeeper's own format. */
export type Report = (parts: ReportParts, asking: Connection) => string;

const VERSION = '3.8.0-nestjs-zk-lock, an embedded server for development and tests';
const MODE = 'standalone';

export const srvr: Report = (parts) => `Zookeeper version: ${VERSION}\n${statistics(parts)}`;

export const stat: Report = (parts, asking) => {
  const clients = [...parts.connections].map((connection) => ` ${traffic(connection, asking)})\n`);
  return `Zookeeper version: ${VERSION}\nClients:\n${clients.join('')}\n${statistics(parts)}`;
};

export const cons: Report = ({ connections }, asking) => {
  const lines = [...connections].map(
    (connection) => ` ${traffic(connection, asking)}${sessionDetails(connection)})\n`,
  );
  return `${lines.join('')}\n`;
};

export const mntr: Report = ({ database, sessions, connections, stats, clock, startedAt }) => {
  const { nodes, watches, ephemerals, approximateDataSize } = database.figures;
  return Object.entries({
    version: VERSION,
    server_state: MODE,
    avg_latency: javaDouble(stats.avgLatency),
    max_latency: stats.maxLatency,
    min_latency: stats.minLatency,
    packets_received: stats.received,
    packets_sent: stats.sent,
    num_alive_connections: connections.size,
    outstanding_requests: outstanding(connections),
    znode_count: nodes,
    watch_count: watches,
    ephemerals_count: ephemerals,
    approximate_data_size: approximateDataSize,
    global_sessions: sessions.tracker.size,
    local_sessions: 0,
    uptime: clock.elapsed() - startedAt,
  })
    .map(([name, value]) => `zk_${name}\t${value}\n`)
    .join('');
};

/** Without the data directories: there are none. */
export const conf: Report = ({ config }) =>
  Object.entries({
    clientPort: config.port,
    secureClientPort: -1,
    tickTime: config.tickTime,
    maxClientCnxns: config.maxClientConnections,
    minSessionTimeout: config.minSessionTimeout,
    maxSessionTimeout: config.maxSessionTimeout,
    clientPortListenBacklog: -1,
    serverId: 0,
  })
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');

export const dump: Report = ({ database, sessions, connections, clock }) => {
  const owners = [...database.sessions.keys()].filter((id) => database.ephemeralsOf(id).length > 0);
  const ephemerals = owners.map((id) => {
    const paths = database.ephemeralsOf(id).map((path) => `\t${path}\n`);
    return `${hex(id)}:\n${paths.join('')}`;
  });
  return [
    'SessionTracker dump:\nSession ',
    buckets(sessions.tracker.byExpiry(), clock, ({ id }) => hex(id)),
    `ephemeral nodes dump:\nSessions with Ephemerals (${owners.length}):\n`,
    ...ephemerals,
    'Connections dump:\nConnections ',
    buckets(
      connections.byExpiry(),
      clock,
      ({ address, port, sessionId }) => `ip: /${address}:${port} sessionId: ${hex(sessionId)}`,
    ),
  ].join('');
};

/** Counts watches on data only, as ZooKeeper does. */
export const wchs: Report = ({ database }) => {
  const { peers, paths, watches } = database.figures.dataWatches;
  return `${peers} connections watching ${paths} paths\nTotal watches:${watches}\n`;
};

function statistics({ database, connections, stats }: ReportParts): string {
  const latency = [stats.minLatency, javaDouble(stats.avgLatency), stats.maxLatency].join('/');
  return [
    `Latency min/avg/max: ${latency}`,
    `Received: ${stats.received}`,
    `Sent: ${stats.sent}`,
    `Connections: ${connections.size}`,
    `Outstanding: ${outstanding(connections)}`,
    `Zxid: ${hex(database.lastZxid)}`,
    `Mode: ${MODE}`,
    `Node count: ${database.figures.nodes}\n`,
  ].join('\n');
}

function outstanding(connections: Connections): number {
  return [...connections].reduce((sum, { outbox }) => sum + outbox.size, 0);
}

/** `[1]`: its requests are read. The asking connection is read no more, nor is one that takes no answers. */
function traffic(connection: Connection, asking: Connection): string {
  const { address, port, stats, outbox } = connection;
  const interest = connection === asking || !connection.isReading ? 0 : 1;
  return `/${address}:${port}[${interest}](queued=${outbox.size},recved=${stats.received},sent=${stats.sent}`;
}

function sessionDetails({ sessionId, stats, establishedAt, timeoutMs }: Connection): string {
  if (sessionId === 0n) return '';
  const details = {
    sid: hex(sessionId),
    lop: stats.lastOp,
    est: establishedAt,
    to: timeoutMs,
    ...(stats.lastXid < 0 ? {} : { lcxid: hex(BigInt(stats.lastXid)) }),
    lzxid: hex(stats.lastZxid),
    lresp: stats.lastAnswerAt,
    llat: stats.lastLatency,
    minlat: stats.minLatency,
    avglat: Math.floor(stats.avgLatency),
    maxlat: stats.maxLatency,
  };
  return Object.entries(details)
    .map(([name, value]) => `,${name}=${value}`)
    .join('');
}

function buckets<Element>(
  byTime: [expiresAt: number, elements: ReadonlySet<Element>][],
  clock: Clock,
  shown: (element: Element) => string,
): string {
  const count = byTime.reduce((sum, [, elements]) => sum + elements.size, 0);
  const lines = byTime.map(([expiresAt, elements]) => {
    const date = javaDate(clock.now() + expiresAt - clock.elapsed());
    const members = [...elements].map((element) => `\t${shown(element)}\n`);
    return `${elements.size} expire at ${date}:\n${members.join('')}`;
  });
  return `Sets (${byTime.length})/(${count}):\n${lines.join('')}`;
}

/** As Java writes a double: 4.5, 0.0; at most four digits behind the point, as ZooKeeper rounds. */
function javaDouble(value: number): string {
  const rounded = Math.round(value * 10_000) / 10_000;
  return Number.isInteger(rounded) ? rounded.toFixed(1) : String(rounded);
}

/** As Java writes a date: `Mon Nov 30 19:16:31 UTC 2026`. */
function javaDate(time: number): string {
  const [weekday = '', day = '', month = '', year = '', clock = ''] = new Date(time)
    .toUTCString()
    .split(/,? /);
  return `${weekday} ${month} ${day} ${clock} UTC ${year}`;
}
