import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TestingServer } from '../../../lib/testing/testing-server.js';
import { JuteWriter } from '../../../lib/testing/wire/jute-writer.js';
import { waitFor } from '../../support/wait-for.js';
import { RawClient } from './raw-client.js';

const NO_PASSWORD = Buffer.alloc(16);
const REFUSED = { protocolVersion: 0, timeOut: 0, sessionId: 0n, passwd: NO_PASSWORD, readOnly: false };

describe('connecting', () => {
  let server: TestingServer;
  beforeEach(async () => {
    server = await TestingServer.start({
      tickTime: 500,
      minSessionTimeout: 1_000,
      maxSessionTimeout: 60_000,
    });
  });
  afterEach(() => server.stop());

  it('should open a session with an id and a password of its own', async () => {
    await using one = await RawClient.open(server.port);
    await using two = await RawClient.open(server.port);

    expect(one.session).toMatchObject({ protocolVersion: 0, timeOut: 10_000, readOnly: false });
    expect(one.session?.passwd).toHaveLength(16);
    expect(one.session?.passwd).not.toEqual(NO_PASSWORD);
    expect(two.session?.sessionId).not.toBe(one.session?.sessionId);
    expect(server.sessions().map(({ id }) => id)).toEqual([one.sessionId, two.sessionId]);
  });

  it.each([
    [1, 1_000],
    [-5, 1_000],
    [999, 1_000],
    [1_001, 1_001],
    [60_001, 60_000],
    [0x7fff_ffff, 60_000],
  ])('should negotiate a timeout of %i ms to %i ms', async (timeOut, negotiated) => {
    await using client = await RawClient.open(server.port, { timeOut });

    expect(client.session?.timeOut).toBe(negotiated);
    expect(server.sessions()).toMatchObject([{ timeoutMs: negotiated, connected: true }]);
  });

  it('should leave out the read-only byte for old clients that do not send it', async () => {
    await using client = await RawClient.open(server.port, { readOnly: undefined });

    expect(client.session?.readOnly).toBeUndefined();
    expect(client.session?.sessionId).not.toBe(0n);
  });

  it('should let a session go on over another connection, and close the former one', async () => {
    await using client = await RawClient.open(server.port);
    await client.create('/e', 1);
    await using again = await client.reopen({ timeOut: 5_000 });
    await client.end();

    expect(again.session).toMatchObject({ sessionId: client.session?.sessionId, timeOut: 5_000 });
    expect(again.session?.passwd).toEqual(client.session?.passwd);
    expect(await again.exists('/e')).toBe(true);
  });

  it('should refuse a wrong password, and close both connections', async () => {
    await using client = await RawClient.open(server.port);
    await using thief = await client.reopen({ passwd: Buffer.alloc(16, 7) });
    await Promise.all([thief.end(), client.end()]);

    expect(thief.session).toEqual(REFUSED);
    expect(server.sessions()).toMatchObject([{ id: client.sessionId, connected: false }]);
  });

  it.each([
    ['of no length', Buffer.alloc(0)],
    ['that is null', null],
  ])('should refuse a password %s', async (_what, passwd) => {
    await using client = await RawClient.open(server.port);
    await using thief = await client.reopen({ passwd });
    await thief.end();

    expect(thief.session).toEqual(REFUSED);
  });

  it('should refuse a session that it does not know', async () => {
    await using client = await RawClient.open(server.port, { sessionId: 0x1234n });
    await client.end();

    expect(client.session).toEqual(REFUSED);
  });

  it('should refuse a session that was closed', async () => {
    await using client = await RawClient.open(server.port);
    expect(await client.ask('closeSession', undefined)).toMatchObject({ err: 0 });
    await client.end();
    await using again = await client.reopen();
    await again.end();

    expect(again.session).toEqual(REFUSED);
  });

  it('should close the connection of a client that has seen a zxid above its own', async () => {
    await using client = await RawClient.open(server.port, { lastZxidSeen: 1n << 62n });
    await client.end();

    expect(client.session).toBeUndefined();
    expect(server.sessions()).toEqual([]);
  });

  it('should close a connection whose first frame is no connect request', async () => {
    await using client = await RawClient.dial(server.port);
    const writer = new JuteWriter();
    writer.int(4);
    writer.int(0);
    client.write(writer.finish());
    await client.end();

    expect(client.session).toBeUndefined();
  });

  it('should take no more connections of an address than it is told to', async () => {
    await using small = await TestingServer.start({ maxClientConnections: 2 });
    await using one = await RawClient.open(small.port);
    await using two = await RawClient.open(small.port);
    await using three = await RawClient.dial(small.port);
    await three.end();
    expect(two.isClosed).toBe(false);
    await one[Symbol.asyncDispose]();
    await waitFor(async () => {
      await using next = await RawClient.open(small.port);
      return next.session !== undefined;
    });
  });
});
