import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { TestingServer } from 'nestjs-zk-lock/testing';
import { startWorker, type TestWorker } from '../support/child-process.js';
import { ZkAdmin } from '../support/zk-admin.js';

const MAIN = new URL('../../lib/cli/main.ts', import.meta.url);
const zkLock = (...args: string[]): TestWorker => startWorker(MAIN, args);

/** What a call wrote, and how it ended. */
async function run(...args: string[]): Promise<{ code: number | null; output: string }> {
  await using child = zkLock(...args);
  const { code } = await child.exit;
  return { code, output: child.output };
}

async function connectStringOf(child: TestWorker): Promise<string> {
  await child.wrote('Ctrl-C ends it.');
  return /at (\S+):/.exec(child.output)![1]!;
}

describe('zk-lock dev-server', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('should serve until %s, and end in good order', async (signal) => {
    await using child = zkLock('dev-server', '--port', '0', '--tick-time=500');
    const connectString = await connectStringOf(child);
    const admin = await ZkAdmin.connect(connectString);
    await admin.create('/a', 'x', 'ephemeral');
    expect((await admin.get('/a')).data).toBe('x');

    expect(await child.kill(signal)).toEqual({ code: 0, signal: null });
    expect(child.output).toMatch(
      /^ZooKeeper for development at 127\.0\.0\.1:\d+: in memory, not for production\. Ctrl-C ends it\.\n$/,
    );
    await admin[Symbol.asyncDispose]();
  });

  it('should listen where it is told to', async () => {
    const free = await TestingServer.start();
    await free.stop();
    await using child = zkLock('dev-server', '--host', 'localhost', '--port', `${free.port}`);

    expect(await connectStringOf(child)).toBe(`localhost:${free.port}`);
  });

  it('should say so when the port is taken', async () => {
    await using server = await TestingServer.start();
    const { code, output } = await run('dev-server', '--port', `${server.port}`);

    expect(code).toBe(1);
    expect(output).toMatch(
      new RegExp(`^zk-lock: .*EADDRINUSE.*127\\.0\\.0\\.1:${server.port}. Give another --port, or --port 0`),
    );
    expect(output).not.toContain('    at ');
  });

  it('should not start with NODE_ENV=production, unless it is forced to', async () => {
    await using refused = startWorker(MAIN, ['dev-server', '--port=0'], { env: { NODE_ENV: 'production' } });
    expect(await refused.exit).toEqual({ code: 1, signal: null });
    expect(refused.output).toContain('NODE_ENV=production');
    expect(refused.output).toContain('give --force');

    await using forced = startWorker(MAIN, ['dev-server', '--port=0', '--force'], {
      env: { NODE_ENV: 'production' },
    });
    await connectStringOf(forced);
  });

  it.each([
    [['dev-server', '--port', '70000'], 'Option "port" is 70000; allowed are integers from 0 to 65535.'],
    [['dev-server', '--port', 'abc'], `Option "port" is 'abc'; allowed are integers from 0 to 65535.`],
    [['dev-server', '-p', '70000'], 'Option "port" is 70000'],
    [['dev-server', '--port'], '--port needs a value.'],
    [['dev-server', '--force=1'], "--force takes no value, and '1' is given."],
    [
      ['dev-server', '--tick-time', '0'],
      'Option "tick-time" is 0; allowed are integers from 1 to 3600000 ms.',
    ],
    [['dev-server', '--host='], `Option "host" is ''; allowed are addresses and host names.`],
    [['dev-server', '--prot', '1'], 'There is no option "prot" of zk-lock dev-server. Did you mean "port"?'],
    [['dev-server', '2181'], 'There is nothing to do with "2181".'],
    [['serve'], `There is no command 'serve'.`],
    [[], 'Which command?'],
  ])('should refuse %j', async (args, message) => {
    const { code, output } = await run(...args);

    expect(code).toBe(2);
    expect(output).toContain(`zk-lock: ${message}`);
  });

  it('should explain itself', async () => {
    const general = await run('--help');
    expect(general.code).toBe(0);
    expect(general.output).toContain('dev-server');
    expect(await run('help')).toEqual(general);
    const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
    expect(await run('--version')).toEqual({ code: 0, output: `${version}\n` });
    const { code, output } = await run('dev-server', '--help');
    expect(code).toBe(0);
    for (const option of ['--port', '--host', '--tick-time', '--force', '2181', '127.0.0.1', '2000']) {
      expect(output).toContain(option);
    }
  });
});
