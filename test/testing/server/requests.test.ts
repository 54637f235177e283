import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TestingServer } from '../../../lib/testing/testing-server.js';
import { encode } from '../../../lib/testing/wire/codec.js';
import { ErrorCode } from '../../../lib/testing/wire/error-codes.js';
import { frame } from '../../../lib/testing/wire/frame-splitter.js';
import { requestHeaderCodec } from '../../../lib/testing/wire/records.js';
import { waitFor } from '../../support/wait-for.js';
import { OPEN_ACL, RawClient } from './raw-client.js';

const header = (xid: number, type: number) => encode(requestHeaderCodec, { xid, type });

describe('requests', () => {
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

  it('should answer a ping with the last zxid', async () => {
    const created = await client.create('/a');

    expect(await client.ask('ping', undefined)).toMatchObject({ xid: -2, zxid: created?.zxid, err: 0 });
  });

  it('should answer pipelined requests in their order, each after the events it caused', async () => {
    await client.create('/a');
    await client.exists('/a', true);
    const before = client.heard.length;
    const open = { data: Buffer.alloc(0), acl: OPEN_ACL, flags: 0 };
    client.write(
      Buffer.concat([
        client.encode('exists', { path: '/b', watch: true }, 100),
        client.encode('create', { path: '/b', ...open }, 101),
        client.encode('setData', { path: '/a', data: Buffer.from('x'), version: -1 }, 102),
        client.encode('delete', { path: '/b', version: 7 }, 103),
      ]),
    );
    await waitFor(() => client.replies.some(({ xid }) => xid === 103));

    expect(client.heard.slice(before)).toMatchObject([
      { xid: 100, err: ErrorCode.NoNode },
      { type: 1, state: 3, path: '/b' },
      { xid: 101, err: 0 },
      { type: 3, state: 3, path: '/a' },
      { xid: 102, err: 0 },
      { xid: 103, err: ErrorCode.BadVersion },
    ]);
  });

  it('should put frames together that come in pieces', async () => {
    const bytes = client.encode(
      'create',
      { path: '/slow', data: Buffer.alloc(3), acl: OPEN_ACL, flags: 0 },
      5,
    );
    for (const byte of bytes) {
      client.write(Buffer.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await waitFor(() => client.replies.length > 0);

    expect(client.replies).toMatchObject([{ xid: 5, err: 0 }]);
  });

  it('should close the session on request: its nodes go, its answer comes, then the connection ends', async () => {
    await using other = await RawClient.open(server.port);
    await client.create('/e', 1);
    await other.exists('/e', true);
    const reply = await client.ask('closeSession', undefined);
    await client.end();

    expect(reply).toMatchObject({ err: 0 });
    expect(await other.exists('/e')).toBe(false);
    expect(other.events).toEqual([{ type: 2, state: 3, path: '/e' }]);
    expect(server.sessions().map(({ id }) => id)).toEqual([other.sessionId]);
  });

  it('should serve nothing behind a closeSession', async () => {
    await using other = await RawClient.open(server.port);
    client.write(
      Buffer.concat([
        client.encode('closeSession', undefined),
        client.encode('create', { path: '/late', data: null, acl: OPEN_ACL, flags: 0 }),
      ]),
    );
    await client.end();

    expect(client.replies).toHaveLength(1);
    expect(await other.exists('/late')).toBe(false);
  });

  it.each([0, 10, 102, 9999, -10])('should refuse operation %i as unimplemented and close', async (op) => {
    client.write(frame(header(9, op)));
    await client.end();

    expect(client.replies).toMatchObject([{ xid: 9, zxid: -1n, err: ErrorCode.Unimplemented }]);
  });

  it('should refuse a body that cannot be read, and serve on', async () => {
    client.write(frame(header(9, 4), Buffer.of(0, 0, 0, 99, 47)));
    await waitFor(() => client.replies.length > 0);

    expect(client.replies).toMatchObject([{ xid: 9, err: ErrorCode.MarshallingError }]);
    expect(await client.exists('/')).toBe(true);
  });

  it('should close the connection after a failed authentication', async () => {
    const reply = await client.ask('auth', { type: 0, scheme: 'nonsense', auth: null });
    await client.end();

    expect(reply).toMatchObject({ zxid: 0n, err: ErrorCode.AuthFailed });
  });

  it('should close a connection whose header is cut short, and keep its session', async () => {
    client.write(frame(Buffer.of(0, 0, 0)));
    await client.end();

    expect(server.sessions()).toMatchObject([{ id: client.sessionId, connected: false }]);
  });
});
