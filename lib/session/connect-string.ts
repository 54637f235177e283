import { isIPv4, isIPv6 } from 'node:net';
import { LockConfigError } from '../errors/lock-config.error.js';
import { znodePathProblem } from './znode-path.js';

export interface ZkServerAddress {
  /** A name, an IPv4 address or an IPv6 address without brackets. */
  readonly host: string;
  readonly port: number;
}

export interface ConnectString {
  readonly servers: readonly ZkServerAddress[];
  /** The servers as the C client wants them: `host:port` joined by commas, IPv6 without brackets, no chroot. */
  readonly hosts: string;
  /** `/a/b`, or '' when there is none. */
  readonly chroot: string;
}

const DEFAULT_PORT = 2181;
const HOST_NAME =
  /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*\.?$/i;

const EXPECTED = 'Expected "host:port,host:port/chroot", for example "zk1:2181,zk2:2181,[::1]:2181/my-app".';

/**
 * Parses `host[:port],host[:port][/chroot]`. The port defaults to 2181, an IPv6 address stands in brackets.
 * @throws LockConfigError that names the part which is wrong, and what is allowed.
 */
export function parseConnectString(text: string): ConnectString {
  const slash = text.indexOf('/');
  const list = slash === -1 ? text : text.slice(0, slash);
  // Whoever writes user:password@host must not find the password in a log.
  if (text.includes('@')) fail('', 'it has an "@"; user and password go into the option `auth`');
  if (list.trim() === '') fail(text, 'it names no server');
  if (text.includes('://')) fail(text, 'it starts with a scheme; leave it out');
  const servers = list.split(',').map((entry, at) => parseServer(text, entry.trim(), at));
  return {
    servers,
    hosts: servers.map(({ host, port }) => `${host}:${port}`).join(','),
    chroot: slash === -1 ? '' : parseChroot(text, text.slice(slash).trimEnd()),
  };
}

function parseServer(text: string, entry: string, at: number): ZkServerAddress {
  if (entry === '') fail(text, `entry ${at + 1} is empty`);
  const bracketed = /^\[(.*)\](?::(.*))?$/.exec(entry);
  if (bracketed) {
    const [, host = '', port] = bracketed;
    if (!isIPv6(host)) fail(text, `"${host}" is not an IPv6 address`);
    return { host, port: parsePort(text, entry, port) };
  }
  if (/[[\]]/.test(entry)) fail(text, `"${entry}" is not "[address]:port"`);
  const parts = entry.split(':');
  if (parts.length > 2) {
    const isAddress = /^[0-9a-f:.]+$/i.test(entry);
    fail(
      text,
      isAddress
        ? `"${entry}" looks like an IPv6 address: write it in brackets`
        : `"${entry}" has more than one ":"`,
    );
  }
  const [host = '', port] = parts;
  if (!isHost(host)) fail(text, `"${host}" is not a host name or an IP address`);
  return { host, port: parsePort(text, entry, port) };
}

/** Digits and dots alone must be a whole IPv4 address: the resolver would read "10.1" as 10.0.0.1. */
function isHost(host: string): boolean {
  return /^[\d.]+$/.test(host) ? isIPv4(host) : HOST_NAME.test(host);
}

function parsePort(text: string, entry: string, port: string | undefined): number {
  if (port === undefined) return DEFAULT_PORT;
  // As a number, since the client would read "02181" as octal.
  const value = /^\d{1,5}$/.test(port) ? Number(port) : 0;
  if (value < 1 || value > 65_535) fail(text, `"${port}" in "${entry}" is not a port (1 to 65535)`);
  return value;
}

function parseChroot(text: string, chroot: string): string {
  if (chroot === '/') return '';
  if (chroot.includes(',')) fail(text, 'the chroot stands once, behind the last server, and has no comma');
  const problem = znodePathProblem(chroot);
  if (problem !== undefined) fail(text, `the chroot "${chroot}" is not a valid path: ${problem}`);
  return chroot;
}

function fail(text: string, problem: string): never {
  const value = text === '' ? '' : ` ${JSON.stringify(text)}`;
  throw new LockConfigError(`connectString${value} is not valid: ${problem}. ${EXPECTED}`);
}
