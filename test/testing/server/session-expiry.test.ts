import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TestingServer } from '../../../lib/testing/testing-server.js';
import { waitFor } from '../../support/wait-for.js';
import { OPEN_ACL, RawClient } from './raw-client.js';

describe('session expiry', () => {
  describe('on a virtual clock', () => {
    let server: TestingServer;
    beforeEach(async () => {
      server = await TestingServer.start({ tickTime: 500, clock: 'virtual' });
    });
    afterEach(() => server.stop());

    it('should expire a silent session in the tick in which its timeout ends', async () => {
      await using watcher = await RawClient.open(server.port, { timeOut: 10_000 });
      await using client = await RawClient.open(server.port, { timeOut: 1_000 });
      await client.create('/e', 1);
      await watcher.exists('/e', true);
      await server.clock.advance(1_499);
      expect(await client.exists('/e')).toBe(true);
      await server.clock.advance(1_001);
      await client.end();

      expect(await watcher.exists('/e')).toBe(false);
      expect(watcher.events).toEqual([{ type: 2, state: 3, path: '/e' }]);
      expect(server.sessions().map(({ id }) => id)).toEqual([watcher.sessionId]);
      await using again = await client.reopen();
      expect(again.session).toMatchObject({ sessionId: 0n, timeOut: 0 });
    });

    it.each(['ping', 'sync'] as const)('should let a session live that sends a %s in time', async (op) => {
      await using client = await RawClient.open(server.port, { timeOut: 1_000 });
      for (let i = 0; i < 5; i += 1) {
        await server.clock.advance(900);
        await (op === 'ping' ? client.ask('ping', undefined) : client.ask('sync', { path: '/' }));
      }

      expect(server.sessions()).toMatchObject([{ id: client.sessionId, connected: true }]);
    });

    it('should measure by the timeout that was negotiated last', async () => {
      await using client = await RawClient.open(server.port, { timeOut: 1_000 });
      await using again = await client.reopen({ timeOut: 5_000 });
      await server.clock.advance(5_400);
      expect(await again.exists('/')).toBe(true);
      await server.clock.advance(5_500);

      expect(server.sessions()).toEqual([]);
    });

    it('should expire a session without a connection as any other', async () => {
      await using client = await RawClient.open(server.port, { timeOut: 1_000 });
      server.dropConnection(client.sessionId);
      await client.end();
      await server.clock.advance(1_499);
      expect(server.sessions()).toMatchObject([{ connected: false }]);
      await server.clock.advance(1);

      expect(server.sessions()).toEqual([]);
    });

    it('should not let real time count', async () => {
      const now = server.clock.now();
      await using client = await RawClient.open(server.port, { timeOut: 1_000 });
      const deadline = performance.now() + 50;
      await waitFor(() => performance.now() > deadline);

      expect(server.clock.now()).toBe(now);
      expect(await client.exists('/')).toBe(true);
    });

    it('should stamp nodes with its own time', async () => {
      await using client = await RawClient.open(server.port);
      await server.clock.advance(5_000);
      await client.create('/a');
      const stat = await client.ask('exists', { path: '/a', watch: false });

      expect(stat?.body.readBigInt64BE(16)).toBe(BigInt(server.clock.now()));
    });

    it('should close a connection that never asks for a session', async () => {
      await using idle = await RawClient.dial(server.port);
      await waitFor(async () => (await RawClient.word(server.port, 'cons')).includes(`${idle.localPort}[`));
      await server.clock.advance(9_999);
      expect(idle.isClosed).toBe(false);
      await server.clock.advance(10_001);
      await idle.end();
    });

    it.each([-1, 1.5, NaN, Infinity])('should refuse to advance by %p ms', async (ms) => {
      await expect(server.clock.advance(ms)).rejects.toThrow(/allowed are integers from 0 to/);
    });
  });

  it('should reap empty containers at its interval', async () => {
    await using server = await TestingServer.start({ clock: 'virtual', containerCheckInterval: 1_000 });
    await using client = await RawClient.open(server.port);
    await client.ask('createContainer', { path: '/c', data: null, acl: OPEN_ACL, flags: 4 });
    await client.create('/c/n');
    await server.clock.advance(1_000);
    expect(await client.exists('/c')).toBe(true);
    await client.ask('delete', { path: '/c/n', version: -1 });
    await client.exists('/c', true);
    await server.clock.advance(1_000);

    expect(await client.exists('/c')).toBe(false);
    expect(client.events).toEqual([{ type: 2, state: 3, path: '/c' }]);
  });

  it('should expire sessions by itself on a real clock', async () => {
    await using server = await TestingServer.start({ tickTime: 20 });
    const since = performance.now();
    await using client = await RawClient.open(server.port, { timeOut: 40 });
    await client.end();

    expect(performance.now() - since).toBeGreaterThan(39);
    expect(server.sessions()).toEqual([]);
    await expect(server.clock.advance(1)).rejects.toThrow(/clock: 'virtual'/);
  });
});
