import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { InterceptOptions, InterceptedRequest, Verdict } from '../../../lib/testing/index.js';
import { TestingServer } from '../../../lib/testing/testing-server.js';
import { ErrorCode } from '../../../lib/testing/wire/error-codes.js';
import { waitFor } from '../../support/wait-for.js';
import { OPEN_ACL, RawClient } from './raw-client.js';

describe('faults on command', () => {
  let server: TestingServer;
  let client: RawClient;
  beforeEach(async () => {
    server = await TestingServer.start({ tickTime: 500, clock: 'virtual' });
    client = await RawClient.open(server.port);
  });
  afterEach(async () => {
    await client[Symbol.asyncDispose]();
    await server.stop();
  });
  const onCreate = (verdict: Verdict) =>
    server.intercept(({ op }) => (op === 'create' ? verdict : undefined));

  describe('intercept', () => {
    it('should tell the rule what is asked, by whom and when', async () => {
      const seen: InterceptedRequest[] = [];
      server.intercept((request) => void seen.push(request));
      const last = (await client.create('/a'))!.zxid;
      await client.exists('/a');
      await client.ask('ping', undefined);
      await client.ask('multi', []);
      await using other = await RawClient.open(server.port);
      await other.ask('closeSession', undefined);

      const { sessionId: session } = client;
      const zxid = (plus: bigint) => `0x${(last + plus).toString(16)}`;
      expect(seen).toEqual([
        { op: 'create', path: '/a', session, zxid: zxid(-1n), xid: 1 },
        { op: 'exists', path: '/a', session, zxid: zxid(0n), xid: 2 },
        { op: 'ping', session, zxid: zxid(0n), xid: -2 },
        { op: 'multi', session, zxid: zxid(0n), xid: 3 },
        { op: 'connect', session: '0x0', zxid: zxid(1n), xid: 0 },
        { op: 'closeSession', session: other.sessionId, zxid: zxid(2n), xid: 1 },
      ]);
    });

    it('should apply the request and lose its answer', async () => {
      onCreate('drop-answer');
      expect(await client.create('/a')).toBeUndefined();
      await using again = await client.reopen();

      expect(await again.exists('/a')).toBe(true);
    });

    it('should cut the connection before the request is applied', async () => {
      onCreate('cut');
      expect(await client.create('/a')).toBeUndefined();
      await using again = await client.reopen();

      expect(again.session?.sessionId).toBe(client.session?.sessionId);
      expect(await again.exists('/a')).toBe(false);
    });

    it('should still send the answers before the cut', async () => {
      onCreate('cut');
      client.write(
        Buffer.concat([
          client.encode('exists', { path: '/', watch: false }),
          client.encode('create', { path: '/a', data: null, acl: OPEN_ACL, flags: 0 }),
        ]),
      );
      await client.end();

      expect(client.replies).toMatchObject([{ xid: 1, err: 0 }]);
    });

    it.each([
      ['error' as const, ErrorCode.MarshallingError],
      [{ error: -102 }, ErrorCode.NoAuth],
      [{ error: 'NoNode' as const }, ErrorCode.NoNode],
    ])('should refuse the request with %j', async (verdict, err) => {
      const remove = onCreate(verdict);
      expect(await client.create('/a')).toMatchObject({ err });
      remove();
      expect(await client.exists('/a')).toBe(false);
      expect(await client.create('/a')).toMatchObject({ err: 0 });
    });

    it('should delay an answer, and all that is said on the connection after it', async () => {
      onCreate({ delayMs: 1_000 });
      await using other = await RawClient.open(server.port);
      await client.exists('/a', true);
      const create = client.create('/a');
      const read = client.exists('/a');
      await waitFor(() => other.exists('/a'));
      await server.clock.advance(999);
      expect(client.replies).toHaveLength(1);
      await server.clock.advance(1);

      expect(await create).toMatchObject({ err: 0 });
      expect(await read).toBe(true);
      expect(client.heard.slice(1)).toMatchObject([{ type: 1, path: '/a' }, { xid: 2 }, { xid: 3 }]);
    });

    it('should delay on a real clock too', async () => {
      await using real = await TestingServer.start();
      await using one = await RawClient.open(real.port);
      real.intercept(({ op }) => (op === 'exists' ? { delayMs: 50 } : undefined));
      const since = performance.now();
      await one.exists('/');

      expect(performance.now() - since).toBeGreaterThan(48);
    });

    it('should delay a refusal', async () => {
      let seen = 0;
      server.intercept(({ op }) => {
        if (op === 'create') seen += 1;
      });
      onCreate({ error: 'NoAuth', delayMs: 1_000 });
      const create = client.create('/a');
      await waitFor(() => seen > 0);
      await server.clock.advance(1_000);

      expect(await create).toMatchObject({ err: ErrorCode.NoAuth });
      expect(server.dump()).not.toContain('/a');
    });

    it('should never answer what is delayed for ever', async () => {
      await using real = await TestingServer.start();
      await using one = await RawClient.open(real.port);
      await using two = await RawClient.open(real.port);
      real.intercept(({ op }) => (op === 'create' ? { delayMs: Infinity } : undefined));
      void one.create('/a');
      await waitFor(() => two.exists('/a'));
      await two.exists('/');

      expect(one.replies).toEqual([]);
    });

    it('should give only so many verdicts', async () => {
      server.intercept(({ op }) => (op === 'create' ? 'error' : undefined), { times: 1 });
      await client.exists('/a');
      expect(await client.create('/a')).toMatchObject({ err: ErrorCode.MarshallingError });
      expect(await client.create('/a')).toMatchObject({ err: 0 });
    });

    it.each<[unknown, object, string]>([
      ['cut', {}, "intercept('cut'): the rule has to be a function"],
      [undefined, {}, 'intercept(undefined): the rule has to be a function'],
      [() => undefined, { times: 0 }, 'Option "times" is 0; allowed are integers from 1 to 2147483647.'],
      [() => undefined, { time: 1 }, 'Did you mean "times"?'],
    ])('should refuse the rule %p with %j', (rule, options, message) => {
      expect(() => server.intercept(rule as never, options as InterceptOptions)).toThrow(message);
    });

    it('should cut, lose and refuse a connect', async () => {
      const verdicts: (Verdict | undefined)[] = ['cut', 'drop-answer', 'error'];
      server.intercept(({ op }) => (op === 'connect' ? verdicts.shift() : undefined));
      const before = server.sessions().length;
      await using cut = await RawClient.open(server.port);
      expect([cut.session, server.sessions().length]).toEqual([undefined, before]);
      await using lost = await RawClient.open(server.port);
      expect([lost.session, server.sessions().length]).toEqual([undefined, before + 1]);
      await using refused = await client.reopen();
      expect(refused.session).toMatchObject({ sessionId: 0n, timeOut: 0 });
    });

    it('should let the first rule with a verdict decide', async () => {
      server.intercept(() => undefined);
      onCreate({ error: 'NoAuth' });
      onCreate({ error: 'NoNode' });

      expect(await client.create('/a')).toMatchObject({ err: ErrorCode.NoAuth });
    });

    it('should let a rule end the session whose request it is asked about', async () => {
      server.intercept(({ op, session }) => {
        if (op === 'create') server.expireSession(session);
      });
      expect(await client.create('/a')).toBeUndefined();
      await server.clock.advance(60_000);

      expect(server.sessions()).toEqual([]);
      expect(server.dump()).not.toContain('/a');
    });
  });

  describe('expireSession and dropConnection', () => {
    it('should end a session at once', async () => {
      await using watcher = await RawClient.open(server.port);
      await client.create('/e', 1);
      await watcher.exists('/e', true);
      expect(server.sessions()[0]).toMatchObject({ id: client.sessionId, ephemerals: ['/e'] });
      server.expireSession(client.sessionId);
      await client.end();

      expect(await watcher.exists('/e')).toBe(false);
      expect(watcher.events).toHaveLength(1);
    });

    it('should drop a connection and keep its session', async () => {
      await client.create('/e', 1);
      server.dropConnection(client.sessionId.slice(2));
      expect(server.sessions()).toMatchObject([{ connected: false, ephemerals: ['/e'] }]);
      await client.end();
      await using again = await client.reopen();

      expect(await again.exists('/e')).toBe(true);
    });

    it.each<unknown>(['0x1', 'nonsense', '', 5])(
      'should name the sessions that there are instead of %p',
      (value) => {
        const id = value as string;
        const message = new RegExp(
          `no session ${inspect(id)} at 127.0.0.1:${server.port}. Known: ${client.sessionId}`,
        );

        expect(() => server.expireSession(id)).toThrow(message);
        expect(() => server.dropConnection(id)).toThrow(message);
      },
    );
  });

  describe('pause and resume', () => {
    it('should neither read nor answer nor expire while it is paused', async () => {
      await using other = await RawClient.open(server.port);
      server.pause();
      server.pause();
      const created = client.create('/a');
      const late = await RawClient.dial(server.port);
      const connected = late.connect();
      await server.clock.advance(60_000);
      expect(server.sessions()).toHaveLength(2);
      expect(client.replies).toEqual([]);
      server.resume();
      server.resume();

      // What was due meanwhile expires first, as when a process goes on.
      expect(await created).toBeUndefined();
      await other.end();
      await connected;
      await late[Symbol.asyncDispose]();
    });

    it('should answer when it goes on in time', async () => {
      server.pause();
      const created = client.create('/a');
      await server.clock.advance(5_000);
      server.resume();

      expect(await created).toMatchObject({ err: 0 });
    });
  });

  describe('restart', () => {
    it('should keep data, sessions and passwords, and raise the zxid', async () => {
      const { port } = server;
      await client.create('/e', 1);
      const before = await client.create('/a', 0, 'x');
      await server.restart();
      await client.end();
      expect(server.port).toBe(port);
      expect(server.sessions()).toMatchObject([{ id: client.sessionId, connected: false }]);
      await using again = await client.reopen({ lastZxidSeen: before!.zxid });

      expect(again.session?.sessionId).toBe(client.session?.sessionId);
      expect(await again.exists('/e')).toBe(true);
      const after = await again.create('/b');
      expect(after!.zxid - before!.zxid).toBeGreaterThan(1n);
    });

    it('should forget watches', async () => {
      await client.exists('/a', true);
      await server.restart();
      await using again = await client.reopen();
      await again.create('/a');

      expect([...client.events, ...again.events]).toEqual([]);
    });

    it('should give each session its whole timeout to come back', async () => {
      await server.clock.advance(9_000);
      await server.stop();
      await server.clock.advance(60_000);
      expect(server.sessions()).toHaveLength(1);
      await server.restart();
      await server.clock.advance(10_000);
      expect(server.sessions()).toHaveLength(1);
      await server.clock.advance(500);

      expect(server.sessions()).toEqual([]);
    });

    it('should say what cannot be done while it is stopped', async () => {
      await client.create('/left');
      await server.stop();
      await client.end();

      expect(() => server.pause()).toThrow(/pause\(\): the server at 127.0.0.1:\d+ is stopped/);
      expect(() => server.expireSession(client.sessionId)).toThrow(/stopped/);
      expect(server.dump()).toContain('left');
      await server.stop();
    });
  });
});
