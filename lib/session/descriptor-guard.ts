import { closeSync, openSync, readdirSync } from 'node:fs';
import { devNull } from 'node:os';

const OPEN_DESCRIPTORS = '/proc/self/fd';
const MOST_HELD = 256;

/**
 * Keeps the number of a file descriptor that the C client has just closed from being used again too early.
 *
 * npm `zookeeper` 7.3.0 stops polling a closed socket at once, but takes its poll handle apart only when it connects
 * again, up to a third of the session timeout later, and then removes *that number* from the event loop. If another
 * socket of the process has got the number meanwhile, it goes silent or the process aborts (libuv, `epoll_ctl`: seen
 * with strace on Node 20.20.2). So every free number up to the highest known one is held until the client is connected
 * again. Where descriptors cannot be listed (not Linux) nothing is done.
 */
export class DescriptorGuard {
  private readonly held: number[] = [];
  private highest = 0;

  /** Call it while the client has a socket. */
  note(): void {
    try {
      for (const name of readdirSync(OPEN_DESCRIPTORS)) this.highest = Math.max(this.highest, Number(name));
    } catch {
      this.highest = 0;
    }
  }

  /** Call it before any other code can run after the client closed its socket. */
  hold(): void {
    try {
      for (let last = -1; last < this.highest && this.held.length < MOST_HELD; this.held.push(last)) {
        last = openSync(devNull, 'r');
      }
    } catch {
      // Too many open files: then no number is free for others either.
    }
  }

  /** Call it once the client has taken its old poll handle apart. */
  release(): void {
    for (const descriptor of this.held.splice(0)) closeSync(descriptor);
  }
}
