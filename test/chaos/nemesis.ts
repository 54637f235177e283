import { setTimeout as sleep } from 'node:timers/promises';
import type { ChaosEnsemble } from './cluster/chaos-ensemble.js';
import type { FleetClient } from './cluster/fleet-client.js';
import { CLIENT_FAULTS } from './faults/client-faults.js';
import type { FaultTools } from './faults/fault.js';
import { MEMBER_FAULTS } from './faults/member-faults.js';
import type { HistoryWriter } from './history-writer.js';
import { Random } from './random.js';

const CLIENT_LANES = 2;
/** Pauses between the faults of one lane, in ms: in them the fleet gets something done. */
const CLIENT_PAUSE = [300, 1_500] as const;
const MEMBER_PAUSE = [1_500, 4_000] as const;

/** Makes faults until it is told to stop: always some at clients, and one at a time at the ensemble. */
export class Nemesis {
  private readonly stopping = new AbortController();
  private readonly free: Set<FleetClient>;
  private count = 0;

  constructor(
    private readonly ensemble: ChaosEnsemble,
    clients: readonly FleetClient[],
    private readonly seed: number,
    private readonly sessionTimeoutMs: number,
    private readonly log: HistoryWriter,
  ) {
    this.free = new Set(clients);
  }

  /** Settles after `stop()`, or when a fault could not be made, after all faults are over. */
  async run(): Promise<void> {
    const lanes = [
      this.troubleMembers(this.tools(0)),
      ...Array.from({ length: CLIENT_LANES }, (_, lane) => this.troubleClients(this.tools(lane + 1))),
    ];
    for (const lane of lanes) lane.catch(() => this.stop());
    await Promise.allSettled(lanes);
    await Promise.all(lanes);
  }

  stop(): void {
    this.stopping.abort();
  }

  private tools(lane: number): FaultTools {
    return {
      random: new Random(this.seed * 10 + lane),
      sessionTimeoutMs: this.sessionTimeoutMs,
      wait: async (ms) => {
        await sleep(ms, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      },
    };
  }

  private async troubleClients(tools: FaultTools): Promise<void> {
    const deck = new Deck(Object.keys(CLIENT_FAULTS), tools.random);
    for (;;) {
      await tools.wait(tools.random.between(...CLIENT_PAUSE));
      if (this.stopping.signal.aborted) return;
      const alive = [...this.free].filter(({ isAlive }) => isAlive);
      if (alive.length === 0) continue;
      const fault = deck.draw();
      const client = tools.random.pick(alive);
      this.free.delete(client); // one fault at a time for each
      await this.happens(fault, client.name, async () => {
        await CLIENT_FAULTS[fault]!(client, tools);
        client.heal();
      });
      this.free.add(client);
    }
  }

  private async troubleMembers(tools: FaultTools): Promise<void> {
    const faults = { ...MEMBER_FAULTS.leader, ...MEMBER_FAULTS.follower };
    const deck = new Deck(Object.keys(faults), tools.random);
    for (;;) {
      await tools.wait(tools.random.between(...MEMBER_PAUSE));
      const leader = this.stopping.signal.aborted ? undefined : await this.ensemble.leader();
      if (this.stopping.signal.aborted) return;
      if (leader === undefined) continue; // not over the fault before
      const fault = deck.draw();
      const followers = this.ensemble.members.map((_, index) => index).filter((index) => index !== leader);
      const member = fault in MEMBER_FAULTS.leader ? leader : tools.random.pick(followers);
      await this.happens(fault, `member ${member + 1}`, () => faults[fault]!(this.ensemble, member, tools));
    }
  }

  private async happens(fault: string, target: string, work: () => Promise<void>): Promise<void> {
    const id = (this.count += 1);
    this.log.record({ kind: 'fault', id, fault, target, phase: 'begin' });
    await work();
    this.log.record({ kind: 'fault', id, fault, target, phase: 'end' });
  }
}

/** Deals all cards in random order before one comes again, so that a short run has many kinds of faults. */
class Deck<T> {
  private rest: T[] = [];

  constructor(
    private readonly cards: readonly T[],
    private readonly random: Random,
  ) {}

  draw(): T {
    if (this.rest.length === 0) this.rest = this.random.shuffle(this.cards);
    return this.rest.pop()!;
  }
}
