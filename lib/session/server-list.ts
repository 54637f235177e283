import type { ServerAddresses } from './server-addresses.js';

/**
 * The servers as the C client is given them. It has two faults that the number of entries works around (both measured
 * with npm `zookeeper` 7.3.0):
 * - with an even number of servers that all refuse connections it tries again without a pause, at 100 % CPU; so the
 *   list is always of odd length, with one server named twice if need be;
 * - at the end of its list it pauses, and its Node binding then sleeps until the next ping is due, up to a third of the
 *   session timeout; a list of another length, given at the moment of the break, starts from the beginning.
 */
export class ServerList {
  private isLong = true;

  constructor(private readonly servers: ServerAddresses) {}

  /** The servers as they are known now, in a list of another length than the one before. */
  next(): string {
    this.isLong = !this.isLong;
    const hosts = this.servers.latest;
    const all = hosts.split(',');
    const anyOne = all[Math.floor(Math.random() * all.length)];
    const odd = all.length % 2 === 1 ? hosts : `${hosts},${anyOne}`;
    return this.isLong ? `${odd},${anyOne},${anyOne}` : odd;
  }
}
