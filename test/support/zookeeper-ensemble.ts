import { freePort } from '../../scripts/zookeeper/free-port.mjs';
import {
  ZooKeeperProcess,
  type ZooKeeperProcessOptions,
} from '../../scripts/zookeeper/zookeeper-process.mjs';
import { waitFor } from './wait-for.js';

const SIZE = 3;
const START_ATTEMPTS = 3;

export type EnsembleOptions = Omit<ZooKeeperProcessOptions, 'port' | 'members' | 'id'>;

/** Three ZooKeeper servers that elect a leader. Each member can be killed, paused and started again. */
export class ZooKeeperEnsemble implements AsyncDisposable {
  private constructor(readonly members: readonly ZooKeeperProcess[]) {}

  /** Starts three members and waits until all of them serve. */
  static async start(options: EnsembleOptions = {}): Promise<ZooKeeperEnsemble> {
    for (let attempt = 1; ; attempt++) {
      const ensemble = new ZooKeeperEnsemble(await createMembers(options));
      try {
        await Promise.all(ensemble.members.map((member) => member.start()));
        return ensemble;
      } catch (error) {
        await ensemble[Symbol.asyncDispose]();
        if (attempt === START_ATTEMPTS) throw error;
      }
    }
  }

  /** All members, for a client that may choose. */
  get connectString(): string {
    return this.members.map((member) => member.connectString).join(',');
  }

  /** The leader; waits for an election that is going on, up to `timeoutMs` (default 30,000). */
  leader(timeoutMs = 30_000): Promise<ZooKeeperProcess> {
    return waitFor(async () => (await this.inMode('leader'))[0], {
      timeoutMs,
      what: 'a leader of the ensemble',
    });
  }

  /** The members that follow the leader now. */
  followers(): Promise<ZooKeeperProcess[]> {
    return this.inMode('follower');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.members.map((member) => member[Symbol.asyncDispose]()));
  }

  private async inMode(mode: string): Promise<ZooKeeperProcess[]> {
    const modes = await Promise.all(this.members.map((member) => member.mode()));
    return this.members.filter((_, index) => modes[index] === mode);
  }
}

async function createMembers(options: EnsembleOptions): Promise<ZooKeeperProcess[]> {
  const ports = await distinctPorts(SIZE * 2);
  const members = Array.from({ length: SIZE }, (_, index) => ({
    id: index + 1,
    quorumPort: ports[index * 2]!,
    electionPort: ports[index * 2 + 1]!,
  }));
  return Promise.all(members.map(({ id }) => ZooKeeperProcess.create({ ...options, members, id })));
}

async function distinctPorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort());
  return [...ports];
}
