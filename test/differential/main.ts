// Runs the differential test for longer: see `docs/testing.md`.
import { parseArgs } from 'node:util';
import { Duel } from './duel.js';
import { realServer } from './servers.js';

const { values } = parseArgs({
  options: {
    operations: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    /** Compares two real servers instead, to test the test. */
    real: { type: 'boolean', default: false },
  },
});

await using left = await realServer();
await using right = await realServer();
console.log(`Seed ${values.seed}, ${values.operations} operations`);
const duel = new Duel({ name: 'ZooKeeper', port: left.port }, { name: 'the other one', port: right.port });
const started = performance.now();
const { operations, difference } = await duel.fight({
  seed: Number(values.seed),
  operations: Number(values.operations),
  onProgress: (done) =>
    console.log(`${done} operations in ${Math.round((performance.now() - started) / 1000)} s`),
});
console.log(difference ?? `${operations} operations, no difference`);
process.exitCode = difference === undefined ? 0 : 1;
