import { closeSync, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { devNull } from 'node:os';

const OPEN_DESCRIPTORS = '/proc/self/fd';
const SOCKET_TABLES = ['/proc/self/net/tcp', '/proc/self/net/tcp6'];
const NOTE_EVERY_MS = 500;

/**
 * Keeps the number of a file descriptor that the C client has just closed from being used again too early.
 *
 * npm `zookeeper` 7.3.0 stops polling a closed socket at once, but takes its poll handle apart only when it connects
 * again, up to a third of the session timeout later, and then removes *that number* from the event loop. If another
 * socket of the process has got the number meanwhile, it goes silent or the process aborts (libuv, `epoll_ctl`: seen
 * with strace on Node 20.20.2). So the number is held until the client is connected again. Where descriptors cannot be
 * looked up (not Linux) nothing is done.
 */
export class DescriptorGuard {
  private readonly ports: ReadonlySet<number>;
  /** Descriptors of sockets to the servers, with the identity of the socket. */
  private noted = new Map<number, string>();
  private notedAt = 0;
  private readonly held: number[] = [];

  /** @param hosts `host:port,host:port` */
  constructor(hosts: string) {
    this.ports = new Set(hosts.split(',').map((host) => Number(host.slice(host.lastIndexOf(':') + 1))));
  }

  /** Call it while the client has, or may have, a socket. Looks at most twice a second, unless it is told to. */
  note(now = false): void {
    const at = performance.now();
    if (!now && at - this.notedAt < NOTE_EVERY_MS) return;
    this.notedAt = at;
    try {
      this.noted = socketsTo(this.ports);
    } catch {
      this.noted.clear();
    }
  }

  /** Call it before any other code can run after the client may have closed its socket. */
  hold(): void {
    for (const [descriptor, socket] of this.noted) {
      if (linkOf(descriptor) === socket) continue; // still open
      this.noted.delete(descriptor);
      this.occupy(descriptor);
    }
  }

  /** Call it once the client has taken its old poll handle apart. */
  release(): void {
    for (const descriptor of this.held.splice(0)) closeSync(descriptor);
  }

  /** The system gives out the lowest free number: open until it is the wanted one, then let the others go. */
  private occupy(wanted: number): void {
    const others: number[] = [];
    try {
      for (let got = -1; got < wanted;) {
        got = openSync(devNull, 'r');
        (got === wanted ? this.held : others).push(got);
      }
    } catch {
      // Too many open files: better an unlikely clash than none left for the application.
    }
    for (const descriptor of others) closeSync(descriptor);
  }
}

/** `socket:[12345]`; undefined when the number is free. */
function linkOf(descriptor: number): string | undefined {
  try {
    return readlinkSync(`${OPEN_DESCRIPTORS}/${descriptor}`);
  } catch {
    return undefined;
  }
}

function socketsTo(ports: ReadonlySet<number>): Map<number, string> {
  const sockets = new Set<string>();
  for (const table of SOCKET_TABLES) {
    // sl, local address, remote address (hex ip:port), st, queues, timer, retransmits, uid, timeout, inode
    for (const line of readFileSync(table, 'latin1').split('\n').slice(1)) {
      const [, , remote = '', , , , , , , inode = ''] = line.trim().split(/\s+/);
      if (ports.has(parseInt(remote.slice(remote.indexOf(':') + 1), 16))) sockets.add(`socket:[${inode}]`);
    }
  }
  const found = new Map<number, string>();
  for (const name of readdirSync(OPEN_DESCRIPTORS)) {
    const link = linkOf(Number(name));
    if (link !== undefined && sockets.has(link)) found.set(Number(name), link);
  }
  return found;
}
