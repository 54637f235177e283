/**
 * The servers as the C client is given them. It has two faults that the number of entries works around (both measured
 * with npm `zookeeper` 7.3.0):
 * - with an even number of servers that all refuse connections it tries again without a pause, at 100 % CPU; so the
 *   list is always of odd length, with one server named twice if need be;
 * - at the end of its list it pauses, and its Node binding then sleeps until the next ping is due, up to a third of the
 *   session timeout; a list of another length, given at the moment of the break, starts from the beginning.
 */
export class ServerList {
  private readonly short: string;
  private readonly long: string;
  private current: string;

  /** @param hosts `host:port,host:port` */
  constructor(hosts: string) {
    const servers = hosts.split(',');
    const anyOne = servers[Math.floor(Math.random() * servers.length)];
    this.short = servers.length % 2 === 1 ? hosts : `${hosts},${anyOne}`;
    this.long = `${this.short},${anyOne},${anyOne}`;
    this.current = this.short;
  }

  /** The list to begin with. */
  get first(): string {
    return this.short;
  }

  /** The same servers in a list of another length. */
  next(): string {
    this.current = this.current === this.short ? this.long : this.short;
    return this.current;
  }
}
