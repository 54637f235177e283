import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TestingServer } from 'nestjs-zk-lock/testing';
import { EACH_ITS_NODE, LockClient } from '../support/lock-client.js';
import { waitFor } from '../support/wait-for.js';
import { ZkAdmin, ZkAdminError } from '../support/zk-admin.js';

describe('TestingServer', () => {
  describe('with the real client', () => {
    let server: TestingServer;
    beforeEach(async () => {
      server = await TestingServer.start({ tickTime: 500 });
    });
    afterEach(() => server.stop());

    it('should serve the client of the npm package', async () => {
      await using admin = await ZkAdmin.connect(server.connectString);
      await admin.ensure('/a/b');
      await admin.create('/a/b/n-', 'x', 'ephemeral-sequential');

      expect(await admin.children('/a/b')).toEqual(['n-0000000000']);
      expect((await admin.get('/a/b/n-0000000000')).data).toBe('x');
      expect(await admin.delete('/a/b/n-0000000000')).toBe(true);
      expect(await admin.exists('/a/b/n-0000000000')).toBe(false);
    });

    it('should carry the session of a client over a restart', async () => {
      await using admin = await ZkAdmin.connect(server.connectString);
      await admin.create('/e', '', 'ephemeral');
      const { client_id: id } = admin.raw;
      await server.restart();
      await waitFor(() => admin.raw.state === 3 && server.sessions()[0]?.connected);

      expect(admin.raw.client_id).toBe(id);
      expect((await admin.get('/e')).stat.ephemeralOwner).toBe(id);
    });

    it('should set the counter of sequential nodes', async () => {
      await using admin = await ZkAdmin.connect(server.connectString);
      await admin.create('/a');
      server.setSequence('/a', 2 ** 31 - 2);

      expect(await admin.create('/a/n-', '', 'sequential')).toBe('/a/n-2147483646');
      expect(await admin.create('/a/n-', '', 'sequential')).toBe('/a/n-2147483647');
      expect(() => server.setSequence('/b', 1)).toThrow(/\/b/);
      expect(() => server.setSequence(undefined as never, 1)).toThrow(
        'setSequence(undefined, …): expected a path.',
      );
      expect(() => server.setSequence('/a', -1)).toThrow('Option "next" is -1');
    });

    it('should lose an answer on command', async () => {
      await using admin = await ZkAdmin.connect(server.connectString);
      const remove = server.intercept(({ op }) => (op === 'create' ? 'drop-answer' : undefined));
      await expect(admin.create('/a')).rejects.toThrow(ZkAdminError);
      remove();
      await waitFor(() => admin.raw.state === 3);

      expect(await admin.exists('/a')).toBe(true);
    });
  });

  describe('with this library', () => {
    let server: TestingServer;
    beforeEach(async () => {
      server = await TestingServer.start({ tickTime: 500 });
    });
    afterEach(() => server.stop());

    it.each([{}, EACH_ITS_NODE])(
      'should carry contended locks, one holder at a time (%j)',
      async (options) => {
        await using one = await LockClient.open(server.connectString, options);
        await using two = await LockClient.open(server.connectString, options);
        let inside = 0;
        const tokens: bigint[] = [];
        const section = async (lock: { fencingToken: bigint }) => {
          inside += 1;
          tokens.push(lock.fencingToken);
          expect(inside).toBe(1);
          await new Promise((resolve) => setImmediate(resolve));
          inside -= 1;
        };
        await Promise.all(
          Array.from({ length: 40 }, (_, i) => (i % 2 ? one : two).locks.withLock('key', section)),
        );

        expect(tokens).toHaveLength(40);
        expect(tokens).toEqual(tokens.toSorted((a, b) => (a < b ? -1 : 1)));
      },
    );

    it('should take a lock away by expiring its session, and give the next one a greater token', async () => {
      await using one = await LockClient.open(server.connectString);
      await using two = await LockClient.open(server.connectString);
      const lock = await one.locks.acquire('key');
      const next = two.locks.acquire('key');
      const owner = await waitFor(() => server.sessions().find(({ ephemerals }) => ephemerals.length > 0));
      server.expireSession(owner.id);
      await waitFor(() => lock.state === 'lost');
      await using other = await next;

      expect(other.fencingToken).toBeGreaterThan(lock.fencingToken);
    });

    it('should leave a lock held over a dropped connection and over a restart', async () => {
      await using client = await LockClient.open(server.connectString);
      await using lock = await client.locks.acquire('key');
      server.dropConnection(server.sessions()[0]!.id);
      await waitFor(() => server.sessions()[0]?.connected);
      expect(await lock.verify()).toBe(true);
      await server.restart();
      await waitFor(() => server.sessions()[0]?.connected);
      expect(await lock.verify()).toBe(true);
    });

    it('should give greater fencing tokens at the next start', async () => {
      const tokens: bigint[] = [];
      for (let i = 0; i < 2; i += 1) {
        await using fresh = await TestingServer.start();
        await using client = await LockClient.open(fresh.connectString);
        await using lock = await client.locks.acquire('key');
        tokens.push(lock.fencingToken);
      }

      expect(tokens[1]).toBeGreaterThan(tokens[0]!);
    });
  });

  it('should close every socket and free its port when it stops', async () => {
    const server = await TestingServer.start();
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => undefined);
    await waitFor(() => !socket.connecting);
    await server[Symbol.asyncDispose]();
    await waitFor(() => socket.closed);
    await using next = await TestingServer.start({ port: server.port });

    expect(next.connectString).toBe(server.connectString);
  });

  it('should do stops and restarts that are asked for at the same time one after the other', async () => {
    await using server = await TestingServer.start();
    await Promise.all([server.restart(), server.restart()]);
    expect(() => server.pause()).not.toThrow();
    await Promise.all([server.restart(), server.stop()]);
    await using _next = await TestingServer.start({ port: server.port });

    await expect(server.restart()).rejects.toThrow('EADDRINUSE');
    await server.stop();
  });

  it('should name the port that is taken', async () => {
    await using server = await TestingServer.start();

    await expect(TestingServer.start({ port: server.port })).rejects.toThrow(`127.0.0.1:${server.port}`);
  });

  it.each([
    [{ port: 65_536 }, 'Option "port" is 65536; allowed are integers from 0 to 65535.'],
    [{ tickTime: 0 }, 'Option "tickTime" is 0'],
    [{ clock: 'fast' }, `Option "clock" is 'fast'; allowed are 'real' and 'virtual'.`],
    [{ tickTme: 5 }, 'Did you mean "tickTime"?'],
    [
      { tickTime: 1_000, maxSessionTimeout: 1_999 },
      'minSessionTimeout 2000 ms is above maxSessionTimeout 1999 ms',
    ],
  ])('should refuse %j', async (options, message) => {
    await expect(TestingServer.start(options as object)).rejects.toThrow(message);
  });

  describe('with NODE_ENV=production', () => {
    const { NODE_ENV } = process.env;
    beforeEach(() => {
      process.env.NODE_ENV = 'production';
    });
    afterEach(() => {
      process.env.NODE_ENV = NODE_ENV;
    });

    it('should not start', async () => {
      await expect(TestingServer.start()).rejects.toThrow(/NODE_ENV=production/);
    });

    it('should start when it is forced to', async () => {
      await using server = await TestingServer.start({ force: true });

      expect(server.port).toBeGreaterThan(0);
    });
  });
});
