import type { ChaosEnsemble } from '../cluster/chaos-ensemble.js';
import type { FleetClient } from '../cluster/fleet-client.js';
import type { Random } from '../random.js';

/** What faults are made with. */
export interface FaultTools {
  random: Random;
  sessionTimeoutMs: number;
  /** Waits, but not beyond the end of the run. In ms. */
  wait(ms: number): Promise<void>;
}

/** Something that goes wrong with one client; settles when it is over. */
export type ClientFault = (client: FleetClient, tools: FaultTools) => Promise<void>;

/** Something that goes wrong with one member of the ensemble; settles when it is over. */
export type MemberFault = (ensemble: ChaosEnsemble, member: number, tools: FaultTools) => Promise<void>;
