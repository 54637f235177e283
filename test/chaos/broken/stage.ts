import { waitFor } from '../../support/wait-for.js';
import type { OperationPlan } from '../client/operation-plan.js';
import { SESSION_TIMEOUT_MS } from '../cluster/chaos-ensemble.js';
import type { ChaosWorld } from '../cluster/chaos-world.js';
import type { FleetClient } from '../cluster/fleet-client.js';
import { ofKind, type ChaosRecord } from '../history.js';
import { mutex } from '../keys.js';
import type { BrokenVariant } from './broken-variants.js';

/** Where one scripted fault is played: a key and clients of its own, in a world that others use before and after it. */
export class Stage implements AsyncDisposable {
  readonly timeoutMs = SESSION_TIMEOUT_MS;
  private readonly clients: FleetClient[] = [];

  constructor(
    readonly world: ChaosWorld,
    /** Also the first part of the names of its clients. */
    readonly key: string,
    private readonly broken: BrokenVariant | undefined,
  ) {}

  /** Starts clients, each with the indices of the members that it knows (undefined: all). */
  async start(...members: (readonly number[] | undefined)[]): Promise<FleetClient[]> {
    const { key, broken } = this;
    const started = members.map((known, index) =>
      this.world.addClient({
        name: `${key}-${index}`,
        keys: [mutex(key)],
        seed: index,
        callers: 0,
        broken,
        members: known,
      }),
    );
    this.clients.push(...(await Promise.all(started)));
    return [...this.clients];
  }

  /** Does an operation, and settles when it is over. By default it waits long, writes, and lasts as briefly as can be. */
  async run(client: FleetClient, plan: Partial<OperationPlan> = {}): Promise<void> {
    const share = { mode: 'exclusive' } as const;
    const defaults = { share, style: 'acquire', waitMs: 30_000, sectionMs: 0, stepMs: 5, writes: 1 } as const;
    client.send({ key: this.key, ...defaults, ...plan });
    await client.answer(60_000);
  }

  /** Waits until the client has been granted the lock for the `count`-th time. */
  async granted(client: FleetClient, count = 1): Promise<void> {
    const grants = async (): Promise<number> =>
      ofKind(await this.history(), 'granted').filter(({ process }) => process.startsWith(client.name)).length;
    await waitFor(async () => (await grants()) >= count, {
      what: `grant ${count} of ${client.name}`,
      timeoutMs: 30_000,
      everyMs: 10,
    });
  }

  /** What its clients have logged so far. */
  async history(): Promise<ChaosRecord[]> {
    return (await this.world.history()).filter(({ process }) => process.startsWith(`${this.key}-`));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.clients.map((client) => client[Symbol.asyncDispose]()));
  }
}
