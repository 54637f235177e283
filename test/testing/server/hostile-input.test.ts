import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TestingServer } from '../../../lib/testing/testing-server.js';
import { frame } from '../../../lib/testing/wire/frame-splitter.js';
import { waitFor } from '../../support/wait-for.js';
import { OPEN_ACL, RawClient } from './raw-client.js';

const MEGABYTE = 1 << 20;
const int32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};

describe('hostile input', () => {
  let server: TestingServer;
  let client: RawClient;
  beforeEach(async () => {
    server = await TestingServer.start();
    client = await RawClient.open(server.port);
  });
  afterEach(async () => {
    await client[Symbol.asyncDispose]();
    await server.stop();
  });

  it.each([-1, -0x8000_0000, 0x10_0000, 0x7fff_ffff])(
    'should close a connection that announces a frame of %i bytes, before and after it has a session',
    async (length) => {
      await using fresh = await RawClient.dial(server.port);
      fresh.write(int32(length));
      client.write(int32(length));
      await Promise.all([fresh.end(), client.end()]);

      expect(server.sessions()).toMatchObject([{ id: client.sessionId, connected: false }]);
    },
  );

  it('should take a frame of exactly jute.maxbuffer bytes', async () => {
    const request = { path: '/a', data: Buffer.alloc(0), acl: OPEN_ACL, flags: 0 };
    const overhead = client.encode('create', request).length - 4;
    const created = client.ask('create', { ...request, data: Buffer.alloc(0xf_ffff - overhead) });

    expect(await created).toMatchObject({ err: 0 });
  });

  it('should close connections that send nothing but an empty frame', async () => {
    await using fresh = await RawClient.dial(server.port);
    fresh.write(int32(0));
    client.write(int32(0));
    await Promise.all([fresh.end(), client.end()]);
  });

  it('should outlive clients that vanish in the middle of a frame', async () => {
    for (const bytes of [Buffer.of(0, 0), int32(44), frame(Buffer.alloc(20)).subarray(0, 10)]) {
      const gone = await RawClient.dial(server.port);
      gone.write(bytes);
      gone.socket.resetAndDestroy();
    }
    const bytes = client.encode('getData', { path: '/', watch: false });
    client.write(bytes.subarray(0, bytes.length - 1));
    client.socket.end();
    await client.end();
    await using next = await RawClient.open(server.port);

    expect(await next.exists('/')).toBe(true);
  });

  it('should serve others while a thousand connections stay silent', async () => {
    const silent: Socket[] = [];
    for (let i = 0; i < 1_000; i += 1) silent.push(connect(server.port, '127.0.0.1'));
    await Promise.all(silent.map((socket) => once(socket, 'connect')));
    await waitFor(async () => (await RawClient.word(server.port, 'srvr')).includes('Connections: 1002'));
    expect(await client.exists('/')).toBe(true);
    for (const socket of silent) socket.destroy();
    await waitFor(async () => (await RawClient.word(server.port, 'srvr')).includes('Connections: 2'));
  });

  /** A client that asks `count` times for a node of almost a megabyte, and reads nothing. */
  async function askWithoutReading(count: number): Promise<void> {
    await client.create('/big', 0, 'x'.repeat(MEGABYTE - 1_000));
    client.socket.pause();
    const asked = Array.from({ length: count }, () =>
      client.encode('getData', { path: '/big', watch: false }),
    );
    client.write(Buffer.concat(asked));
  }

  it('should stop reading from a client that does not, and go on when it does', async () => {
    await askWithoutReading(200);
    await waitFor(async () => /\[0\]\(queued=0,recved=\d+,/.exec(await RawClient.word(server.port, 'cons')));
    const [, received] = /recved=(\d+),sent=\d+,sid/.exec(await RawClient.word(server.port, 'cons'))!;
    expect(Number(received)).toBeLessThan(20);
    client.socket.resume();
    await waitFor(() => client.replies.length === 201);

    expect(client.replies.every(({ err }) => err === 0)).toBe(true);
  });

  it('should cut off a client that reads none of its events', async () => {
    await using busy = await RawClient.open(server.port);
    const path = `/${'long-name'.repeat(10_000)}`;
    await client.ask('addWatch', { path: '/', mode: 1 });
    client.socket.pause();
    const one = Buffer.concat([
      busy.encode('create', { path, data: null, acl: OPEN_ACL, flags: 0 }),
      busy.encode('delete', { path, version: -1 }),
    ]);
    // Some MB are taken by the sockets' own buffers.
    const cutOff = () => server.sessions().find(({ id }) => id === client.sessionId)?.connected === false;
    for (let i = 0; i < 100 && !cutOff(); i += 1) {
      busy.write(Buffer.concat(Array.from({ length: 20 }, () => one)));
      await busy.exists('/');
    }

    expect(cutOff()).toBe(true);
    expect(await busy.exists('/')).toBe(true);
  });

  it('should stop reading at a thousand answers that wait', async () => {
    await using virtual = await TestingServer.start({ clock: 'virtual' });
    await using flood = await RawClient.open(virtual.port);
    virtual.intercept(({ op }) => (op === 'getData' ? { delayMs: 1_000 } : undefined));
    const ping = flood.encode('ping', undefined, -2);
    flood.write(
      Buffer.concat([
        flood.encode('getData', { path: '/', watch: false }),
        ...Array.from({ length: 5_000 }, () => ping),
      ]),
    );
    await waitFor(async () => (await RawClient.word(virtual.port, 'stat')).includes('[0](queued=1000,'));
    await virtual.clock.advance(1_000);
    await waitFor(() => flood.replies.length === 5_001);
  });
});
