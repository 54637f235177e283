import type { ChaosEnsemble } from '../cluster/chaos-ensemble.js';
import type { FaultTools, MemberFault } from './fault.js';

const restartLater = async (ensemble: ChaosEnsemble, member: number, tools: FaultTools): Promise<void> => {
  const server = ensemble.members[member]!;
  await server.kill();
  await tools.wait(tools.random.between(0, 1_500));
  await server.start();
};

const stop = async (ensemble: ChaosEnsemble, member: number, tools: FaultTools): Promise<void> => {
  const server = ensemble.members[member]!;
  server.pause();
  await tools.wait(tools.random.between(200, 2.5 * tools.sessionTimeoutMs));
  server.resume();
};

const cutOff = async (ensemble: ChaosEnsemble, member: number, tools: FaultTools): Promise<void> => {
  await ensemble.cutOff(member, true);
  await tools.wait(tools.random.between(tools.sessionTimeoutMs / 2, 3 * tools.sessionTimeoutMs));
  await ensemble.cutOff(member, false);
};

/** By who it happens to. */
export const MEMBER_FAULTS: Readonly<Record<'leader' | 'follower', Readonly<Record<string, MemberFault>>>> = {
  leader: {
    'leader killed': restartLater,
    'leader stopped': stop,
    'leader cut off from its followers': cutOff,
  },
  follower: {
    'follower killed': restartLater,
    'follower stopped': stop,
    'follower cut off from its leader': cutOff,
  },
};
