import type { ProcessGuard } from '../../scripts/zookeeper/process-guard.mjs';
import type { CleanUp } from './clean-up.js';
import { DemoProcess, type DemoProgram } from './demo.process.js';
import { ServiceClient } from './service.client.js';

const ORDER_SERVICE: DemoProgram = {
  name: 'The order service',
  file: new URL('../src/main.js', import.meta.url),
  ready: /Listening on (http:\S+)/,
};

/** One process of the service and the way to talk to it. */
export interface Member {
  readonly process: DemoProcess;
  readonly client: ServiceClient;
}

/** Starts `size` processes at once: they share the environment, hence the database and the locks. */
export async function startFleet(
  size: number,
  env: NodeJS.ProcessEnv,
  makeGuard: () => ProcessGuard,
  cleanUp: CleanUp,
): Promise<Member[]> {
  const ownPort = { PORT: '0', HOST: '127.0.0.1', NO_COLOR: '1' };
  const starting = Array.from({ length: size }, async () => {
    const process = await DemoProcess.start(ORDER_SERVICE, makeGuard(), { ...env, ...ownPort });
    return { process, client: new ServiceClient(process.address) };
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
