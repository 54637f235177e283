import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NO_SHUTDOWN_HOOKS } from '../../lib/zk-lock.messages.js';
import { startWorker, type TestWorker } from '../support/child-process.js';
import { LockClient } from '../support/lock-client.js';
import { waitFor } from '../support/wait-for.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

let server: ZooKeeperServer;

beforeAll(async () => {
  server = await ZooKeeperServer.start();
});
afterAll(() => server[Symbol.asyncDispose]());

function start(env: Record<string, string>): TestWorker {
  return startWorker(new URL('module-process.app.ts', import.meta.url), [], {
    env: { NO_COLOR: '1', ZK: server.connectString, ...env },
  });
}

describe('A process with ZkLockModule', () => {
  it('B52 should hand its lock to another process when it is asked to stop', async () => {
    await using app = start({ HOOKS: 'on' });
    await app.wrote('has the lock');
    await using other = await LockClient.open(server.connectString);
    // Its session lasts for 60 s: within the test, only a release lets the other one in.
    const next = other.locks.acquire('deploy', { waitMs: 25_000 });
    await waitFor(async () => (await other.locks.contenders('deploy')).length === 2);

    const stopped = app.kill('SIGTERM');
    await (await next).release();
    await expect(stopped).resolves.toEqual({ code: null, signal: 'SIGTERM' });
  });

  it('B52 should warn once when nothing would close the application on SIGTERM', async () => {
    await using app = start({ HOOKS: 'off', KEY: 'killed', SECOND: 'billing' });
    await app.wrote('has been up for a while');
    expect(app.output.split(NO_SHUTDOWN_HOOKS('SIGTERM'))).toHaveLength(2);
  });

  it('B52 should not warn with enableShutdownHooks()', async () => {
    await using app = start({ HOOKS: 'on' });
    await app.wrote('has been up for a while');
    expect(app.output).not.toContain(NO_SHUTDOWN_HOOKS('SIGTERM'));
    await app.kill('SIGTERM');
  });

  it('should end by itself when it cannot start without ZooKeeper', async () => {
    await server.stop();
    try {
      await using app = start({ CONNECT_TIMEOUT_MS: '300' });
      await expect(app.exit).resolves.toEqual({ code: 0, signal: null });
      expect(app.output).toContain('did not start: ZK_LOCK_CONNECTION');
    } finally {
      await server.start();
    }
  });
});
