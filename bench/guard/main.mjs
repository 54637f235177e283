// `npm run bench:guard [-- --update]`: do the ways that everyone takes still send as few requests, and allocate as little, as
// the committed figures say? It looks at counts only, so it does not depend on how fast the machine is.
import { readFileSync, writeFileSync } from 'node:fs';
import { findOrInstallZooKeeper } from '../../scripts/zookeeper/find-zookeeper.mjs';
import { measureAll } from './measure.mjs';
import { total } from './requests.mjs';
import { excesses } from './verdict.mjs';

const FIGURES = new URL('../guard.json', import.meta.url);

// The server and the proxy do not keep this process alive.
const keepAlive = setInterval(() => undefined, 60_000);
try {
  await findOrInstallZooKeeper(console.log);
  const measured = await measureAll(tell);
  if (process.argv.includes('--update')) update(measured);
  else judge(measured);
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  clearInterval(keepAlive);
}

function tell(scenario, { requests, bytes }) {
  const counts = Object.entries(requests).map(([op, count]) => `${op} ${count}`);
  console.log(`${scenario}: ${total(requests).toFixed(2)} requests (${counts.join(', ')}), ${bytes} bytes`);
}

function update(measured) {
  writeFileSync(FIGURES, `${JSON.stringify(measured, undefined, 2)}\n`);
  console.log('bench/guard.json has been rewritten.');
}

function judge(measured) {
  const lines = excesses(measured, JSON.parse(readFileSync(FIGURES, 'utf8')));
  for (const line of lines) console.error(`Too much: ${line}`);
  if (lines.length > 0) console.error('If that is meant: npm run bench:guard -- --update');
  process.exitCode = lines.length > 0 ? 1 : 0;
}
