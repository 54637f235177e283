import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NO_SHUTDOWN_HOOKS } from '../../lib/zk-lock.messages.js';
import { LockClient } from '../support/lock-client.js';
import { TypeScriptProcess } from '../support/typescript-process.js';
import { waitFor } from '../support/wait-for.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

let server: ZooKeeperServer;

beforeAll(async () => {
  server = await ZooKeeperServer.start();
});
afterAll(() => server[Symbol.asyncDispose]());

function start(env: NodeJS.ProcessEnv): TypeScriptProcess {
  return new TypeScriptProcess(new URL('./module-process.app.ts', import.meta.url), {
    ZK: server.connectString,
    ...env,
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

    app.kill('SIGTERM');
    await (await next).release();
    await expect(app.ended()).resolves.toBe('SIGTERM');
  });

  it('B52 should warn when nothing would close the application on SIGTERM', async () => {
    await using app = start({ HOOKS: 'off', KEY: 'killed' });
    await app.wrote(NO_SHUTDOWN_HOOKS(undefined, 'SIGTERM'));
  });

  it('B52 should not warn with enableShutdownHooks()', async () => {
    await using app = start({ HOOKS: 'on' });
    await app.wrote('has been up for a while');
    expect(app.output).not.toContain(NO_SHUTDOWN_HOOKS(undefined, 'SIGTERM'));
    app.kill('SIGTERM');
    await app.ended();
  });

  it('should end by itself when it cannot start without ZooKeeper', async () => {
    await server.stop();
    try {
      await using app = start({ CONNECT_TIMEOUT_MS: '300' });
      await expect(app.ended()).resolves.toBe(0);
      expect(app.output).toContain('did not start: ZK_LOCK_CONNECTION');
    } finally {
      await server.start();
    }
  });
});
