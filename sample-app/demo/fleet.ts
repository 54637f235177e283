import type { ProcessGuard } from '../../scripts/zookeeper/process-guard.mjs';
import type { CleanUp } from './clean-up.js';
import { ServiceClient } from './service.client.js';
import { ServiceProcess } from './service.process.js';

/** One process of the service and the way to talk to it. */
export interface Member {
  readonly process: ServiceProcess;
  readonly client: ServiceClient;
}

/** Starts `size` processes at once: they share the environment, hence the database and the locks. */
export async function startFleet(
  size: number,
  env: NodeJS.ProcessEnv,
  makeGuard: () => ProcessGuard,
  cleanUp: CleanUp,
): Promise<Member[]> {
  const starting = Array.from({ length: size }, async (_, at) => {
    const process = await ServiceProcess.start(`process ${at + 1}`, env, makeGuard());
    return { process, client: new ServiceClient(process.url) };
  });
  // What did start must end, also when another one did not, or Ctrl-C comes first.
  cleanUp.add(async () => {
    const started = await Promise.allSettled(starting);
    await Promise.all(
      started.flatMap((member) => (member.status === 'fulfilled' ? [member.value.process.stop()] : [])),
    );
  });
  return Promise.all(starting);
}
