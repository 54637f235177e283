import { ZooKeeperServer } from '../../support/zookeeper-server.js';
import { SampleService } from './sample-service.js';
import type { TestDatabase } from './test-database.js';

/** Instances of the sample on one database and one ZooKeeper. */
export class SampleFleet implements AsyncDisposable {
  private readonly ends: (() => Promise<unknown>)[] = [];

  private constructor(
    readonly services: readonly SampleService[],
    readonly zookeeper: ZooKeeperServer,
  ) {}

  static async start(
    size: number,
    startDatabase: () => Promise<TestDatabase>,
    more: Record<string, string> = {},
  ): Promise<SampleFleet> {
    const services: SampleService[] = [];
    const zookeeper = await ZooKeeperServer.start();
    const fleet = new SampleFleet(services, zookeeper);
    fleet.ends.push(() => zookeeper[Symbol.asyncDispose]());
    try {
      const database = await startDatabase();
      fleet.ends.push(() => database.stop());
      const variables = {
        ZK_CONNECT: zookeeper.connectString,
        GATEWAY_MS: '5',
        ...database.variables,
        ...more,
      };
      const starting = Array.from({ length: size }, () => SampleService.start(variables));
      fleet.ends.push(async () => {
        const started = await Promise.allSettled(starting);
        await Promise.all(
          started.flatMap((one) => (one.status === 'fulfilled' ? [one.value[Symbol.asyncDispose]()] : [])),
        );
      });
      services.push(...(await Promise.all(starting)));
      return fleet;
    } catch (error) {
      await fleet[Symbol.asyncDispose]();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (let end = this.ends.pop(); end; end = this.ends.pop()) await end();
  }
}
