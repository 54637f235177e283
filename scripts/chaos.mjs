// `npm run chaos -- --seconds N --seed S [--out FILE] [--log FILE] [--clients N] [--broken NAME]`: client processes under faults, and
// a checker that decides from their log. Ends with 0 when nothing was violated (with --broken: when something was).
import '../test/support/ts-loader.mjs';
import { findOrInstallZooKeeper } from './zookeeper/find-zookeeper.mjs';

try {
  await findOrInstallZooKeeper(console.log);
  const { main } = await import('../test/chaos/main.ts');
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}
