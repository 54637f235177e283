// `npm run test:quick`: the contract suite on the embedded server, in seconds and without Java. More arguments go to jest.
// The last line is `N passed, N failed`.
import { ensureInstalled } from './install.mjs';
import { finish, runJest } from './jest-run.mjs';

/** More than there are cores: the tests wait most of the time. */
const WORKERS = 6;

await ensureInstalled();
finish(
  runJest([`--maxWorkers=${WORKERS}`, 'test/contract', ...process.argv.slice(2)], { ZK_SERVER: 'embedded' }),
);
