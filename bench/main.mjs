// `npm run bench [-- workloads peers --runs N --servers zk1,zk3]`: this library beside others. See docs/performance.md.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { readArguments } from './run/arguments.mjs';
import { measure } from './run/measure.mjs';
import { writePage } from './report/page.mjs';
import { print } from './report/table.mjs';

const RESULTS = new URL('results/', import.meta.url);

try {
  const asked = readArguments(process.argv.slice(2));
  const results = asked.from ? JSON.parse(readFileSync(asked.from, 'utf8')) : await measure(asked);
  if (!asked.from) keep(results);
  print(results);
  if (asked.write || asked.isWhole) await writePage(results);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

function keep(results) {
  mkdirSync(RESULTS, { recursive: true });
  const name = `${new Date().toISOString().replace(/[:.]/g, '-')}.json`;
  writeFileSync(new URL(name, RESULTS), JSON.stringify(results));
  console.log(`Results: bench/results/${name}`);
}
