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
  /** By the path of the election. */
  private readonly memberships = new Map<LockService, Map<string, Membership>>();
  private readonly joined = new Map<LeaderPlan, LeaderElection>();
  private phase: 'starting' | 'running' | 'over' = 'starting';

  /** Takes part in the election of the plan, from bootstrap on.
   * @throws LockConfigError when two methods want the same election with different policies. */
  join(service: LockService, plan: LeaderPlan): LeaderElection {
    let election = this.joined.get(plan);
    if (election === undefined) {
      election = this.membership(service, plan).election;
      this.joined.set(plan, election);
    }
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

  private membership(service: LockService, plan: LeaderPlan): Membership {
    const { key, onSuspended, site } = plan;
    const election = service.leaderElection(key, { onSuspended, purpose: site });
    const byPath = this.memberships.get(service) ?? new Map<string, Membership>();
    this.memberships.set(service, byPath);
    const known = byPath.get(election.path);
    if (known === undefined) {
      const made = { election, plan };
      byPath.set(election.path, made);
      if (this.phase === 'running') election.start();
      return made;
    }
    if (known.plan.onSuspended === onSuspended) return known;
    throw new LockConfigError(messages.leaderPolicyDiffers(site, election.key, known.plan.site));
  }

  private elections(): LeaderElection[] {
    return [...this.memberships.values()].flatMap((byPath) =>
      [...byPath.values()].map(({ election }) => election),
    );
  }
}
