import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NativeZkClient } from '../../lib/session/native-zk-client.js';
import { ServerAddresses } from '../../lib/session/server-addresses.js';
import type { ZkClient } from '../../lib/session/zk-client.js';
import { LockClient } from '../support/lock-client.js';
import { waitFor } from '../support/wait-for.js';
import { ZkProxy } from '../support/zk-proxy.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

/** Faults of npm `zookeeper` that the adapter has to make up for. */
describe('The native client', () => {
  let server: ZooKeeperServer;
  let proxy: ZkProxy;
  let echo: Server;

  beforeAll(async () => {
    server = await ZooKeeperServer.start();
    proxy = await ZkProxy.start(server);
    echo = createServer((socket) => socket.on('error', () => undefined).pipe(socket));
    echo.listen(0, '127.0.0.1');
    await once(echo, 'listening');
  });
  afterAll(async () => {
    echo.close();
    await proxy[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  const openSocket = async (): Promise<Socket> => {
    const socket = connect((echo.address() as AddressInfo).port, '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  };
  const answers = async (socket: Socket): Promise<string> => {
    const data = once(socket, 'data', { signal: AbortSignal.timeout(5_000) });
    socket.write('still there?');
    return String((await data)[0]);
  };

  it('should not take the event loop away from sockets that are opened while it is disconnected', async () => {
    await using client = await LockClient.open(proxy.connectString, { sessionTimeoutMs: 2_000 });
    for (let round = 0; round < 3; round += 1) {
      const suspended = once(events(client), 'suspended');
      proxy.blackhole('both'); // after two thirds of the timeout the client closes its socket
      await suspended;
      const sockets = await Promise.all(Array.from({ length: 10 }, openSocket));
      proxy.heal();
      await client.connection.connected(15_000);
      for (const socket of sockets) {
        expect(await answers(socket)).toBe('still there?');
        socket.pause().resume(); // changes what the event loop polls for
        expect(await answers(socket)).toBe('still there?');
        socket.destroy();
      }
    }
  });

  it('should not take the number of a socket that it found broken as it sent a request from those that are opened next', async () => {
    const told = new EventTarget();
    const tell = (event: string) => () => void told.dispatchEvent(new Event(event));
    const open = (): ZkClient =>
      NativeZkClient.open(
        { servers: new ServerAddresses(proxy.connectString), sessionTimeoutMs: 4_000 },
        {
          connected: tell('connected'),
          disconnected: tell('disconnected'),
          closed: tell('closed'),
          watch: tell('watch'),
        },
      );
    const connected = once(told, 'connected');
    const client = open();
    await connected;
    const [disconnected, again] = [once(told, 'disconnected'), once(told, 'connected')];
    proxy.resetAll();
    // In one turn of the event loop, in which the client cannot learn of the reset by itself.
    const requests: Promise<unknown>[] = [];
    const deadline = performance.now() + 2_000;
    while (client.connected && performance.now() < deadline) requests.push(client.sync('/').catch(String));
    expect(client.connected).toBe(false);
    const other = open();
    const sockets = Array.from({ length: 5 }, () =>
      connect((echo.address() as AddressInfo).port, '127.0.0.1'),
    );
    await disconnected;
    await again;
    await waitFor(() => client.connected && other.connected);
    for (const socket of sockets) {
      expect(await answers(socket)).toBe('still there?');
      socket.destroy();
    }
    await Promise.all(requests);
    for (const each of [client, other]) {
      await each.sync('/');
      each.close();
    }
  });

  it('should be connected again at once after a break, not when its next ping is due', async () => {
    const timeoutMs = 30_000;
    await using client = await LockClient.open(proxy.connectString, { sessionTimeoutMs: timeoutMs });
    for (let round = 0; round < 4; round += 1) {
      const restored = once(events(client), 'restored');
      const start = performance.now();
      proxy.cutAll();
      await restored;
      expect(performance.now() - start).toBeLessThan(timeoutMs / 6);
    }
  });

  it.each([1, 2, 3, 4])('should not spin while each of its %i servers refuses connections', async (count) => {
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    closed.close();
    await once(closed, 'close');
    await using _client = LockClient.start(
      Array.from({ length: count }, () => `127.0.0.1:${port}`).join(','),
    );
    const before = process.cpuUsage();
    const started = performance.now();
    await waitFor(() => performance.now() - started > 1_000);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan((performance.now() - started) / 2);
  });
});

/** The changes of a connection as events of an emitter. */
function events(client: LockClient): EventTarget {
  const target = new EventTarget();
  client.connection.on('state', ({ event }) => target.dispatchEvent(new Event(event)));
  return target;
}
