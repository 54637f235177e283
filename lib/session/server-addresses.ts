import { ADDRCONFIG } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';

interface Server {
  readonly name: string;
  readonly port: string;
}

/** The addresses that a name stands for; rejects when there are none. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/**
 * The servers of a connect string by their addresses. The C client is not given names: it would look them up with a
 * blocking `getaddrinfo`, and not only when it connects, but whenever it has read something (`zookeeper_interest` calls
 * `update_addrs` each time, unless `zoo_set_servers_resolution_delay` was called, which npm `zookeeper` 7.3.0 cannot).
 */
export class ServerAddresses {
  private readonly servers: readonly Server[];
  /** Those of the servers that are no addresses. */
  private readonly names: readonly string[];
  private readonly known = new Map<string, readonly string[]>();

  /** @param hosts `host:port,host:port` */
  constructor(
    hosts: string,
    private readonly resolve: Resolve = addressesOf,
  ) {
    this.servers = hosts.split(',').map((host) => {
      const colon = host.lastIndexOf(':');
      return { name: host.slice(0, colon), port: host.slice(colon + 1) };
    });
    const names = new Set(this.servers.map(({ name }) => name));
    this.names = [...names].filter((name) => isIP(name) === 0);
    for (const name of names) if (isIP(name) !== 0) this.known.set(name, [name]);
  }

  get ports(): ReadonlySet<number> {
    return new Set(this.servers.map(({ port }) => Number(port)));
  }

  /** True when no server has a name that could stand for something else tomorrow. */
  get areFixed(): boolean {
    return this.names.length === 0;
  }

  /** `address:port,address:port`, as of the last look-up; `''` when none is known. */
  get latest(): string {
    return this.servers
      .flatMap(({ name, port }) => (this.known.get(name) ?? []).map((address) => `${address}:${port}`))
      .join(',');
  }

  /**
   * Looks all names up. One that cannot be looked up now keeps the addresses that it had.
   * @throws what the last look-up failed with, when no address is known.
   */
  async lookUp(): Promise<void> {
    let problem: unknown;
    const look = async (name: string): Promise<void> => {
      try {
        // Name servers change the order from answer to answer.
        this.known.set(name, [...(await this.resolve(name))].sort());
      } catch (error) {
        problem = error;
      }
    };
    await Promise.all(this.names.map(look));
    if (this.latest === '') throw problem;
  }
}

async function addressesOf(name: string): Promise<readonly string[]> {
  const found = await lookup(name, { all: true, hints: ADDRCONFIG });
  return found.map(({ address }) => address);
}
