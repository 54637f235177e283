#!/usr/bin/env node
// The command `zk-lock`. Exit code 0: done; 1: it failed; 2: it was called wrongly.
import { LockConfigError } from '../errors/lock-config.error.js';
import { shown } from '../errors/shown.js';
import { devServer } from './dev-server.js';
import { packageVersion } from './package-version.js';
import { USAGE } from './usage.js';

const [command, ...args] = process.argv.slice(2);
try {
  if (command === 'dev-server') await devServer(args);
  else if (command === '--help' || command === '-h' || command === 'help') process.stdout.write(USAGE);
  else if (command === '--version' || command === '-v') console.log(packageVersion());
  else {
    const problem = command === undefined ? 'Which command?' : `There is no command ${shown(command)}.`;
    throw new LockConfigError(`${problem}\n\n${USAGE}`);
  }
} catch (error) {
  console.error(`zk-lock: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = error instanceof LockConfigError ? 2 : 1;
}
