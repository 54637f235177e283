// `npm run chaos -- --seconds N --seed S [--out FILE] [--broken NAME]`
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { BROKEN_VARIANTS, type BrokenVariant } from './broken/broken-variants.js';
import { runChaos } from './chaos-run.js';
import { report } from './report.js';

/** Runs it and prints the table; resolves to the exit code. With `--broken` the run is right when it found violations. */
export async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: 'string', default: '60' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      clients: { type: 'string', default: '4' },
      out: { type: 'string' },
      log: { type: 'string' },
      broken: { type: 'string' },
    },
  });
  const [seconds, seed, clients] = [values.seconds, values.seed, values.clients].map(Number);
  if (!seconds || seed === undefined || !Number.isInteger(seed) || !clients) {
    throw new Error('--seconds and --clients want a positive number, --seed an integer.');
  }
  const broken = variant(values.broken);
  console.log(`Chaos for ${seconds} s, seed ${seed}${broken === undefined ? '' : `, broken: ${broken}`}`);
  const { history, violations } = await runChaos({ seconds, seed, clients, broken });
  const text = report(history, violations, seed);
  console.log(text);
  if (values.out !== undefined) await writeFile(values.out, `${text}\n`);
  if (values.log !== undefined) {
    await writeFile(values.log, history.map((record) => `${JSON.stringify(record)}\n`).join(''));
  }
  return violations.length > 0 === (broken !== undefined) ? 0 : 1;
}

function variant(name: string | undefined): BrokenVariant | undefined {
  const found = BROKEN_VARIANTS.find((known) => known === name);
  if (name === undefined || found !== undefined) return found;
  throw new Error(`--broken is "${name}"; allowed are ${BROKEN_VARIANTS.join(', ')}.`);
}
