// The differential test at length:
// `node --import ./test/support/ts-loader.mjs test/differential/main.ts [--operations N] [--seed N] [--between KINDS]`
import { parseArgs } from 'node:util';
import { Duel, type Contestant } from './duel.js';
import { embeddedServer, realServer } from './servers.js';

type Start = () => Promise<{ port: number } & AsyncDisposable>;
const real = () => realServer();
const embedded = () => embeddedServer();
const PAIRS: Record<string, [Start, Start]> = {
  'real-embedded': [real, embedded],
  'real-real': [real, real],
  'embedded-embedded': [embedded, embedded],
};

const { values } = parseArgs({
  options: {
    operations: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    /** Two of a kind test the test. */
    between: { type: 'string', default: 'real-embedded' },
  },
});
const pair = PAIRS[values.between];
if (pair === undefined) {
  throw new Error(`--between is "${values.between}"; allowed are ${Object.keys(PAIRS).join(', ')}.`);
}
await using left = await pair[0]();
await using right = await pair[1]();
const contestant = (server: { port: number }, place: string): Contestant => ({
  name: `${server.constructor.name} ${place}`,
  port: server.port,
});
const duel = new Duel(contestant(left, '1'), contestant(right, '2'));
console.log(`Seed ${values.seed}, ${values.operations} operations`);
const started = performance.now();
const { operations, difference } = await duel.fight({
  seed: Number(values.seed),
  operations: Number(values.operations),
  onProgress: (done) =>
    console.log(`${done} operations in ${Math.round((performance.now() - started) / 1_000)} s`),
});
console.log(difference ?? `${operations} operations, no difference`);
process.exitCode = difference === undefined ? 0 : 1;
