import { closeSync, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { devNull } from 'node:os';

const OPEN_DESCRIPTORS = '/proc/self/fd';
const SOCKET_TABLES = ['/proc/self/net/tcp', '/proc/self/net/tcp6'];
const NOTE_EVERY_MS = 500;

/**
 * Keeps the number of a file descriptor that the C client has just closed from being used again too early.
 *
 * npm `zookeeper` 7.3.0 takes the poll handle of a closed socket apart only when it connects again, up to a third of the
 * session timeout later, and then removes *that number* from the event loop. If another socket of the process has got the
 * number meanwhile, it goes silent or the process aborts (libuv, `epoll_ctl`: seen with strace on Node 20.20.2); if it is
 * another session's, `uv_poll_init` refuses it (`EEXIST`), which the package does not notice: it goes on with memory that
 * was never set up, and the process aborts in `uv_poll_start` or crashes (seen in core dumps). So the number is held until
 * the client is connected again. Where descriptors cannot be looked up (not Linux) nothing is done.
 */
export class DescriptorGuard {
  /** Descriptors of sockets to the servers, with the identity of the socket. */
  private noted = new Map<number, string>();
  private notedAt = 0;
  private readonly held: number[] = [];

  /** @param ports of the servers. */
  constructor(private readonly ports: ReadonlySet<number>) {}

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

/** The port to which each open socket of this process leads, by its identity; 0: none, such as a Unix socket. */
let known = new Map<string, number>();

function socketsTo(ports: ReadonlySet<number>): Map<number, string> {
  const open = new Map<number, string>();
  for (const name of readdirSync(OPEN_DESCRIPTORS)) {
    const link = linkOf(Number(name));
    if (link?.startsWith('socket:')) open.set(Number(name), link);
  }
  known = lookUp(new Set(open.values()));
  return new Map([...open].filter(([, socket]) => ports.has(known.get(socket) ?? 0)));
}

/**
 * The tables are those of the whole machine, with every connection that was closed in the last minute: some milliseconds,
 * or many. So only for sockets that are new, and no second table when all are in the first one.
 */
function lookUp(sockets: ReadonlySet<string>): Map<string, number> {
  const found = new Map([...known].filter(([socket]) => sockets.has(socket)));
  for (const table of SOCKET_TABLES) {
    const missing = [...sockets].filter((socket) => !found.has(socket));
    if (missing.length === 0) return found;
    const text = readFileSync(table, 'latin1');
    for (const socket of missing) {
      const port = remotePort(text, socket.slice('socket:['.length, -1));
      if (port !== undefined) found.set(socket, port);
    }
  }
  for (const socket of sockets) if (!found.has(socket)) found.set(socket, 0);
  return found;
}

/** The line: sl, local address, remote address (hex ip:port), st, queues, timer, retransmits, uid, timeout, inode. */
function remotePort(table: string, inode: string): number | undefined {
  const word = ` ${inode} `;
  for (let at = table.indexOf(word); at >= 0; at = table.indexOf(word, at + 1)) {
    const line = table.slice(table.lastIndexOf('\n', at) + 1, at + word.length);
    const [, , remote = '', , , , , , , last] = line.trim().split(/\s+/);
    if (last === inode) return parseInt(remote.slice(remote.indexOf(':') + 1), 16);
  }
  return undefined;
}
