import { describe, expect, it } from '@jest/globals';
import { Duel } from './duel.js';
import { embeddedServer, realServer } from './servers.js';

const SEED = Number(process.env.DIFFERENTIAL_SEED ?? Date.now() % 1_000_000);
const OPERATIONS = Number(process.env.DIFFERENTIAL_OPS ?? 5_000);
const LONGEST_MS_PER_OPERATION = 60;
const START_MS = 60_000;

describe('The embedded server', () => {
  it(
    `should do what ZooKeeper does, for ${OPERATIONS} random operations with the seed ${SEED}`,
    async () => {
      await using real = await realServer();
      await using embedded = await embeddedServer();
      const duel = new Duel(
        { name: 'ZooKeeper', port: real.port },
        { name: 'the embedded server', port: embedded.port },
      );
      const { difference } = await duel.fight({ seed: SEED, operations: OPERATIONS });
      if (difference !== undefined) {
        throw new Error(`DIFFERENTIAL_SEED=${SEED} shows a difference:\n${difference}`);
      }
      expect(difference).toBeUndefined();
    },
    START_MS + OPERATIONS * LONGEST_MS_PER_OPERATION,
  );
});
