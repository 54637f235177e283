import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NativeZkClient } from '../../lib/session/native-zk-client.js';
import { ServerAddresses } from '../../lib/session/server-addresses.js';
import { LockClient } from '../support/lock-client.js';
import { waitFor } from '../support/wait-for.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

/** One more address at which the server can be reached, until it is closed. */
async function reachableAt(address: string, { port }: { port: number }) {
  const sockets = new Set<Socket>();
  const door = createServer((client) => {
    const server = connect(port, '127.0.0.1');
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => undefined).on('close', () => to.destroy());
      from.pipe(to);
    }
  });
  door.listen(port, address);
  await once(door, 'listening');
  return {
    async close(): Promise<void> {
      const closed = once(door, 'close');
      door.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Names stand for other addresses from time to time: of a server that came back elsewhere, for one. */
describe('Servers that are named', () => {
  let server: ZooKeeperServer;
  beforeAll(async () => {
    server = await ZooKeeperServer.start();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it('should be found by their names, and told by them', async () => {
    const hosts = `localhost:${server.port}`;
    await using client = await LockClient.open(hosts);
    expect(client.connection.info().server).toBe(hosts);
    await client.locks.withLock('k', (lock) => expect(lock.isHeld()).toBe(true));
  });

  it('should be asked for one session, however many callers want one before the client could start', async () => {
    let tries = 0;
    let failed: () => void = () => undefined;
    const firstFailed = new Promise<void>((resolve) => (failed = resolve));
    await using client = LockClient.start(server.connectString, {
      retry: { initialMs: 300, maxMs: 300, multiplier: 1 },
      open: (options, listener) => {
        tries += 1;
        if (tries === 1) {
          failed();
          throw new Error('this client cannot start');
        }
        return NativeZkClient.open(options, listener);
      },
    });
    await firstFailed;
    await Promise.all([1, 2, 3].map(() => client.connection.connected(15_000)));
    const since = performance.now();
    await waitFor(() => performance.now() - since > 1_000); // any other try would have come by then
    expect(tries).toBe(2);
    expect((await server.mntr()).zk_num_alive_connections).toBe(2); // with the one that asks
  });

  it('should be found again in the same session, with its locks, after they moved', async () => {
    let door = await reachableAt('127.0.0.2', server);
    let addresses = ['127.0.0.2'];
    const names: string[] = [];
    const servers = new ServerAddresses(`zk.test:${server.port}`, (name) => {
      names.push(name);
      return Promise.resolve(addresses);
    });
    await servers.lookUp();
    const client = await LockClient.open(server.connectString, {
      sessionTimeoutMs: 9_000,
      open: (options, listener) => NativeZkClient.open({ ...options, servers }, listener),
    });
    const { connection } = client;
    const lock = await client.locks.acquire('moved');
    const { sessionId } = connection.info();
    expect(names).toEqual(['zk.test']); // not at every answer

    const restored = new Promise((resolve) =>
      connection.on('state', ({ event }) => event === 'restored' && resolve(event)),
    );
    addresses = ['127.0.0.3'];
    await door.close();
    door = await reachableAt('127.0.0.3', server);
    await restored;
    expect(connection.info().sessionId).toBe(sessionId);
    expect(await lock.verify()).toBe(true);
    await lock.release();
    await client[Symbol.asyncDispose]();
    await door.close();
  });
});
