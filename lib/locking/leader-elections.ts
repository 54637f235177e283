import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { LockConfigError } from '../errors/lock-config.error.js';
import type { LeaderElection } from '../recipes/leader-election.js';
import type { LeaderPlan } from './leader-plan.js';
import type { LockService } from './lock.service.js';
import type { Entry } from './locked-run.js';
import * as messages from './locking.messages.js';

/** One election that the application takes part in, and the plan that brought it up first. */
interface Membership {
  readonly election: LeaderElection;
  readonly plan: LeaderPlan;
}

/** @internal The elections of all `@LeaderOnly` methods: one per key and connection, from bootstrap to shutdown. */
@Injectable()
export class LeaderElections implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly memberships = new Map<LockService, Map<string, Membership>>();
  private phase: 'starting' | 'running' | 'over' = 'starting';

  /** Takes part in the election of the plan, from bootstrap on.
   * @throws LockConfigError when two methods want the same election with different policies. */
  join(service: LockService, plan: LeaderPlan): LeaderElection {
    const elections = this.memberships.get(service) ?? new Map<string, Membership>();
    this.memberships.set(service, elections);
    const { key, onSuspended, site } = plan;
    const known = elections.get(key.nodeName);
    if (known !== undefined) {
      if (known.plan.onSuspended === onSuspended) return known.election;
      throw new LockConfigError(messages.leaderPolicyDiffers(site, key.text, known.plan.site));
    }
    const election = service.leaderElection(key, { onSuspended, purpose: site });
    elections.set(key.nodeName, { election, plan });
    if (this.phase === 'running') election.start();
    return election;
  }

  /** How a call goes on now: under the leadership, or not at all. */
  enter(service: LockService, plan: LeaderPlan): Entry {
    const scope = this.join(service, plan).enter();
    return scope === undefined ? { way: 'busy', instead: undefined } : { way: 'locked', scope };
  }

  onApplicationBootstrap(): void {
    this.phase = 'running';
    for (const election of this.elections()) election.start();
  }

  /** Methods that run keep their leadership until they have ended or the grace is over; no new ones start here. */
  async beforeApplicationShutdown(): Promise<void> {
    this.phase = 'over';
    await Promise.all(this.elections().map((election) => election.close()));
  }

  private elections(): LeaderElection[] {
    return [...this.memberships.values()].flatMap((byKey) =>
      [...byKey.values()].map(({ election }) => election),
    );
  }
}
