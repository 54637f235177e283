import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '../../support/wait-for.js';
import { ZkAdmin } from '../../support/zk-admin.js';
import type { CheckName } from '../checks/violation.js';
import type { FleetClient } from '../cluster/fleet-client.js';
import type { BrokenVariant } from './broken-variants.js';
import type { Stage } from './stage.js';

interface ScriptedFault {
  /** Which properties the broken library does not have under it. */
  violates: CheckName[];
  /** Settles when all operations are over. */
  play(stage: Stage): Promise<unknown>;
}

/** For each broken variant a fault that shows it within seconds, and which a sound library comes through. */
export const SCRIPTED_FAULTS: Readonly<Record<BrokenVariant, ScriptedFault>> = {
  /** The session of a holder expires while the holder is cut off; it goes on under a new one. */
  'no-owner-check': {
    violates: ['c', 'f'],
    play: async (stage) => {
      const [holder, next] = (await stage.start(undefined, undefined)) as [FleetClient, FleetClient];
      const holding = stage.run(holder, { sectionMs: 2.5 * stage.timeoutMs });
      await stage.granted(holder);
      const waiting = stage.run(next, { sectionMs: 2 * stage.timeoutMs });
      await holder.expireSessions((ms) => sleep(ms));
      await Promise.all([holding, waiting]);
    },
  },

  /** Nothing goes wrong at all. */
  'sort-by-name': {
    violates: ['c'],
    play: async (stage) => {
      const clients = await stage.start(undefined, undefined, undefined);
      const several = async (client: FleetClient): Promise<void> => {
        for (let round = 0; round < 15; round += 1) await stage.run(client, { sectionMs: 60 }); // longer than a busy machine takes to grant
      };
      await Promise.all(clients.map(several));
    },
  },

  /** The server reaps the empty parent between two grants. */
  'sequence-token': {
    violates: ['b'],
    play: async (stage) => {
      const [first, second] = (await stage.start(undefined, undefined)) as [FleetClient, FleetClient];
      for (let round = 0; round < 2; round += 1) await stage.run(first);
      await using admin = await ZkAdmin.connect(stage.world.ensemble.connectString);
      await waitFor(async () => !(await admin.exists(`/locks/${stage.key}`)), { what: 'the parent reaped' });
      await stage.run(second);
    },
  },

  /** The answer to a release is lost; it is repeated when the next one holds, who hears of nothing for a while. */
  'release-the-first': {
    violates: ['c'],
    play: async (stage) => {
      const [first, second, third] = (await stage.start([0], undefined, undefined)) as [
        FleetClient,
        FleetClient,
        FleetClient,
      ];
      const [proxy] = first.proxies;
      proxy!.on({ op: 'delete' }, 'drop-answer-and-cut');
      const repeated = proxy!.on({ op: 'delete' }, 'hold-request');
      const releasing = stage.run(first, { sectionMs: 500 });
      await stage.granted(first);
      const holding = stage.run(second, { sectionMs: stage.timeoutMs });
      await stage.granted(second);
      const waiting = stage.run(third, { sectionMs: 200 });
      await repeated.hit();
      for (const way of second.proxies) way.blackhole('to-client');
      repeated.release();
      await holding;
      second.heal();
      await Promise.all([releasing, waiting]);
    },
  },

  /** A follower that is cut off from its leader goes on answering reads, while the leader gives the lock away. */
  'kept-alive-by-reads': {
    violates: ['c', 'f'],
    play: async (stage) => {
      const { ensemble } = stage.world;
      const leader = await ensemble.settled();
      const [follower, other] = [0, 1, 2].filter((member) => member !== leader) as [number, number];
      const [holder, next] = (await stage.start([follower], [leader, other])) as [FleetClient, FleetClient];
      const holding = stage.run(holder, { sectionMs: 1.6 * stage.timeoutMs, reads: true });
      await stage.granted(holder);
      const waiting = stage.run(next, { sectionMs: stage.timeoutMs });
      await ensemble.cutOff(follower, true);
      await Promise.all([holding, stage.granted(next)]).finally(() => ensemble.cutOff(follower, false));
      await waiting;
    },
  },

  /** A holder is cut off for a while. */
  'full-timeout': {
    violates: ['f'],
    play: async (stage) => {
      const [holder] = (await stage.start(undefined)) as [FleetClient];
      const holding = stage.run(holder, { sectionMs: 1.2 * stage.timeoutMs });
      await stage.granted(holder);
      for (const proxy of holder.proxies) proxy.blackhole('both');
      await holding;
    },
  },
};
