import { describe, expect, it } from '@jest/globals';
import { CreateFlag, EventType } from '../../../lib/testing/wire/constants.js';
import { errorName, ErrorCode } from '../../../lib/testing/wire/error-codes.js';
import { JuteReader } from '../../../lib/testing/wire/jute-reader.js';
import { OpCode } from '../../../lib/testing/wire/op-codes.js';
import { Asking, WORLD } from './asking.js';

const LAST_SEQUENCE = 2 ** 31 - 1;

describe('sequential names', () => {
  it('should stick at 2^31 - 1, where everybody gets the same name', () => {
    const asking = new Asking();
    asking.create('/q');
    asking.database.setSequence('/q', LAST_SEQUENCE - 1);
    const names = [1, 2, 3].map(() => asking.create('/q/n-', CreateFlag.persistentSequential));
    expect(names).toEqual(['/q/n-2147483646', '/q/n-2147483647', 'NodeExists']);
  });

  it('should run over within a multi, whose operations see those before them', () => {
    const asking = new Asking();
    asking.create('/q');
    asking.database.setSequence('/q', LAST_SEQUENCE);
    const request = { path: '/q/n-', data: null, acl: WORLD, flags: CreateFlag.persistentSequential };
    const answer = asking.ask('multi', [
      { op: OpCode.create, request },
      { op: OpCode.create, request },
    ]);
    expect(answer).toEqual([
      { op: OpCode.create, result: { path: '/q/n-2147483647' } },
      { op: OpCode.create, result: { path: '/q/n--2147483648' } },
    ]);
  });

  it('should refuse a sequence that is no int32, and name it', () => {
    const asking = new Asking();
    expect(() => asking.database.setSequence('/', 2 ** 31)).toThrow('cannot be 2147483648: 0 to 2147483647');
    expect(() => asking.database.setSequence('/none', 1)).toThrow('No node /none');
  });
});

describe('what the server removes by itself', () => {
  it('should reap a container that lost its children, and its parent one check later', () => {
    const asking = new Asking();
    for (const path of ['/a', '/a/b', '/new']) {
      asking.ask('createContainer', { path, data: null, acl: WORLD, flags: CreateFlag.container });
    }
    asking.create('/a/b/c');
    asking.ask('delete', { path: '/a/b/c', version: -1 });
    asking.ask('addWatch', { path: '/', mode: 1 });

    asking.database.reap();
    expect(asking.children('/a')).toEqual([]);
    asking.database.reap();
    expect(asking.children('/').toSorted()).toEqual(['new', 'zookeeper']);
    expect(asking.events.map(({ type, path }) => [type, path])).toEqual([
      [EventType.NodeDeleted, '/a/b'],
      [EventType.NodeDeleted, '/a'],
    ]);
  });

  it('should reap a TTL node that was not changed for longer than its TTL', () => {
    const asking = new Asking({ ttlNodes: true });
    asking.ask('createTTL', { path: '/t', data: null, acl: WORLD, flags: CreateFlag.ttl, ttl: 100n });
    asking.now += 100;
    asking.database.reap();
    expect(asking.ask('exists', { path: '/t', watch: false })).toMatchObject({
      stat: { ephemeralOwner: 0n },
    });
    asking.now += 1;
    asking.database.reap();
    expect(asking.ask('exists', { path: '/t', watch: false })).toBe('NoNode');
  });

  it('should make no TTL nodes unless it is told to', () => {
    const request = { path: '/t', data: null, acl: WORLD, flags: CreateFlag.ttl, ttl: 100n };
    expect(new Asking().ask('createTTL', request)).toBe('Unimplemented');
  });
});

describe('a session that ends', () => {
  it('should take its nodes with it in one transaction, in the order of a Java hash set', () => {
    const asking = new Asking();
    // The order of a real server, Java 17.
    const order = ['/q', '/c/in', '/x1', '/x2', '/x3', '/zz'];
    asking.create('/c');
    for (const path of order.toReversed()) asking.create(path, CreateFlag.ephemeral);
    asking.ask('addWatch', { path: '/', mode: 1 });
    const before = asking.database.lastZxid;
    asking.database.closeSession(asking.peer.sessionId);
    expect(asking.events.map(({ path }) => path)).toEqual(order);
    expect(asking.database.lastZxid).toBe(before + 1n);
    expect(asking.ask('getData', { path: '/', watch: false })).toBe('SessionExpired');
  });
});

describe('a multi that fails', () => {
  it('should change nothing, take a zxid and say which operation failed', () => {
    const asking = new Asking();
    const create = { op: OpCode.create, request: { path: '/a', data: null, acl: WORLD, flags: 0 } };
    const before = asking.database.lastZxid;
    const answer = asking.ask('multi', [
      create,
      { op: OpCode.delete, request: { path: '/none', version: -1 } },
      create,
    ]);
    const errors = [ErrorCode.OK, ErrorCode.NoNode, ErrorCode.RuntimeInconsistency];
    expect(answer).toEqual(errors.map((err) => ({ op: OpCode.error, result: { err } })));
    expect(asking.database.lastZxid).toBe(before + 1n);
    expect(asking.children('/')).toEqual(['zookeeper']);
  });
});

describe('requests that no client sends', () => {
  it.each([OpCode.create, OpCode.getData, OpCode.multi, OpCode.setWatches2])(
    'should answer operation %d without a body',
    (op) => {
      const asking = new Asking();
      const { err } = asking.database.process(asking.peer, op, new JuteReader(Buffer.alloc(3)));
      expect(errorName(err)).toBe('MarshallingError');
    },
  );

  it('should close the connection behind an unknown operation', () => {
    const asking = new Asking();
    const answer = asking.database.process(asking.peer, 99, new JuteReader(Buffer.alloc(0)));
    expect(answer).toEqual({ zxid: -1n, err: ErrorCode.Unimplemented, close: true });
  });
});
