import { freePort } from '../../../scripts/zookeeper/free-port.mjs';
import { ZooKeeperProcess } from '../../../scripts/zookeeper/zookeeper-process.mjs';
import { startWorker, type TestWorker } from '../../support/child-process.js';
import { waitFor } from '../../support/wait-for.js';

const SIZE = 3;
const TICK_MS = 400;
/** A follower that is cut off from its leader goes on answering reads for so many ticks: longer than a session lasts. */
const SYNC_LIMIT = 8;
const START_ATTEMPTS = 3;
/** A member that is started serves only when there is a majority. */
const START_TIMEOUT_MS = 120_000;

/** Shorter than the time for which a follower that is cut off believes in its leader. */
export const SESSION_TIMEOUT_MS = 2_000;

/**
 * Three members that talk to each other through links, each of which can be cut off. The links carry what followers and leader
 * say to each other (proposals, touched sessions, pings), not the votes of an election.
 */
export class ChaosEnsemble implements AsyncDisposable {
  static async start(): Promise<ChaosEnsemble> {
    for (let attempt = 1; ; attempt++) {
      const links = startWorker(new URL('links.worker.ts', import.meta.url));
      const ensemble = new ChaosEnsemble(links, await createMembers(links));
      try {
        await Promise.all(ensemble.members.map((member) => member.start()));
        return ensemble;
      } catch (error) {
        await ensemble[Symbol.asyncDispose]();
        if (attempt === START_ATTEMPTS) throw error; // a port may have been taken meanwhile
      }
    }
  }

  private lastOrder: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly links: TestWorker,
    readonly members: readonly ZooKeeperProcess[],
  ) {}

  get connectString(): string {
    return this.members.map(({ connectString }) => connectString).join(',');
  }

  /** Index of the leader; undefined while not all members serve, or not all know who leads. */
  async leader(): Promise<number | undefined> {
    const modes = await Promise.all(this.members.map((member) => member.mode(500)));
    const followers = modes.filter((mode) => mode === 'follower');
    return followers.length === SIZE - 1 && modes.includes('leader') ? modes.indexOf('leader') : undefined;
  }

  /** Index of the leader, once all members serve. */
  async settled(timeoutMs = 60_000): Promise<number> {
    const look = async (): Promise<{ leader: number } | false> => {
      const leader = await this.leader();
      return leader !== undefined && { leader };
    };
    return (await waitFor(look, { what: 'all members serving', timeoutMs, everyMs: 100 })).leader;
  }

  /** Cuts a member off from the others, or ends that: both keep their clients. */
  async cutOff(member: number, cutOff: boolean): Promise<void> {
    for (const [link, [from, to]] of pairs().entries()) {
      if (from !== member && to !== member) continue;
      this.lastOrder = this.lastOrder.then(() => this.links.ask({ link, cutOff }));
    }
    await this.lastOrder;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.members.map((member) => member[Symbol.asyncDispose]()));
    await this.links[Symbol.asyncDispose]();
  }
}

/** Every way from one member to another one. */
function pairs(): [from: number, to: number][] {
  const indices = Array.from({ length: SIZE }, (_, index) => index);
  return indices.flatMap((from) =>
    indices.filter((to) => to !== from).map((to): [number, number] => [from, to]),
  );
}

/** Each member knows its own ports as they are, and those of the others as the ends of its links. */
async function createMembers(links: TestWorker): Promise<ZooKeeperProcess[]> {
  const ports = new Set<number>();
  while (ports.size < 2 * SIZE) ports.add(await freePort());
  const quorumPorts = [...ports].slice(0, SIZE);
  const electionPorts = [...ports].slice(SIZE);
  const linkPorts = await links.ask<number[]>({ targets: pairs().map(([, to]) => quorumPorts[to]) });
  const create = (own: number): Promise<ZooKeeperProcess> => {
    const portOf = (other: number): number =>
      other === own
        ? quorumPorts[own]!
        : linkPorts[pairs().findIndex(([from, to]) => from === own && to === other)]!;
    const members = electionPorts.map((electionPort, index) => ({
      id: index + 1,
      quorumPort: portOf(index),
      electionPort,
    }));
    return ZooKeeperProcess.create({
      members,
      id: own + 1,
      tickTime: TICK_MS,
      syncLimit: SYNC_LIMIT,
      containerCheckMs: 500,
      startTimeoutMs: START_TIMEOUT_MS,
    });
  };
  return Promise.all(quorumPorts.map((_, own) => create(own)));
}
