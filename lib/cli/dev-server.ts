import { parseArgs } from 'node:util';
import { checkOptions, oneOf, type OptionRules } from '../errors/check-options.js';
import { LockConfigError } from '../errors/lock-config.error.js';
import { shown } from '../errors/shown.js';
import { RULES as SERVER_RULES, type TestingServerOptions } from '../testing/testing-server-options.js';
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
  port: SERVER_RULES.port,
  host: SERVER_RULES.host,
  'tick-time': SERVER_RULES.tickTime,
  force: oneOf(true),
  help: oneOf(true),
};

const OPTIONS = {
  port: { type: 'string', short: 'p' },
  host: { type: 'string' },
  'tick-time': { type: 'string' },
  force: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

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
  if (process.env.NODE_ENV === 'production' && options.force !== true) {
    throw new Error(
      'This server does not start with NODE_ENV=production: it keeps its data in memory and is no ensemble. ' +
        'Use ZooKeeper in production, or give --force.',
    );
  }
  const server = await start(options);
  const stop = () => void server.stop(); // the last that keeps the process alive
  process.on('SIGINT', stop).on('SIGTERM', stop);
  console.log(
    `ZooKeeper for development at ${server.connectString}: in memory, not for production. Ctrl-C ends it.`,
  );
}

async function start(options: TestingServerOptions): Promise<TestingServer> {
  try {
    return await TestingServer.start(options);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
    throw new Error(`${error.message}. Give another --port, or --port 0 for a free one.`, { cause: error });
  }
}

function readArguments(args: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: OPTIONS,
    strict: false, // the rules above say more, and all of it
  });
  for (const [name, { type }] of Object.entries(OPTIONS)) {
    const value = values[name];
    if (type === 'string' && value === true) throw new LockConfigError(`--${name} needs a value.`);
    if (type === 'boolean' && typeof value === 'string')
      throw new LockConfigError(`--${name} takes no value, and ${shown(value)} is given.`);
  }
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
