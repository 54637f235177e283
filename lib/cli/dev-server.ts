import { parseArgs } from 'node:util';
import { checkOptions, integers, oneOf, type OptionRules } from '../errors/check-options.js';
import { LockConfigError } from '../errors/lock-config.error.js';
import { TestingServer } from '../testing/testing-server.js';
import { DEV_SERVER_USAGE } from './usage.js';

interface DevServerArguments {
  port?: unknown;
  host?: unknown;
  'tick-time'?: unknown;
  force?: unknown;
  help?: unknown;
}

const RULES: OptionRules<DevServerArguments> = {
  port: integers(0, 65_535),
  host: {
    allowed: 'addresses and host names',
    accepts: (value) => typeof value === 'string' && value !== '',
  },
  'tick-time': integers(1, 3_600_000, ' ms'),
  force: oneOf(true),
  help: oneOf(true),
};

/**
 * `zk-lock dev-server`: runs until SIGINT or SIGTERM.
 * @throws {LockConfigError} for an argument that is unknown or out of its range.
 * @throws {Error} when the port cannot be had, and with NODE_ENV=production unless `--force` is given.
 */
export async function devServer(args: readonly string[]): Promise<void> {
  const { help, ...options } = readArguments(args);
  if (help) {
    process.stdout.write(DEV_SERVER_USAGE);
    return;
  }
  const server = await TestingServer.start(options);
  const stop = () => void server.stop(); // the last that keeps the process alive
  process.on('SIGINT', stop).on('SIGTERM', stop);
  console.log(
    `ZooKeeper for development at ${server.connectString}: in memory, not for production. Ctrl-C ends it.`,
  );
}

function readArguments(args: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: {
      port: { type: 'string' },
      host: { type: 'string' },
      'tick-time': { type: 'string' },
      force: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
    strict: false, // the rules above say more, and all of it
  });
  const given = {
    ...values,
    port: asNumber(values.port ?? '2181'),
    'tick-time': asNumber(values['tick-time']),
  };
  checkOptions(given, RULES, 'zk-lock dev-server');
  if (positionals.length > 0)
    throw new LockConfigError(`There is nothing to do with "${positionals.join(' ')}".`);
  return {
    port: given.port as number,
    host: given.host as string | undefined,
    tickTime: given['tick-time'] as number | undefined,
    force: given.force as boolean | undefined,
    help: given.help === true,
  };
}

/** What is no number stays as it is, for the message. */
const asNumber = (text: unknown): unknown =>
  typeof text === 'string' && /^\d+$/.test(text) ? Number(text) : text;
