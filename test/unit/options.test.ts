import { describe, expect, it } from '@jest/globals';
import { LockConfigError } from '../../lib/errors/lock-config.error.js';
import { checkExtras, resolveOptions } from '../../lib/zk-lock.options-check.js';
import type { ZkLockModuleOptions } from '../../lib/zk-lock.options.js';

const connectString = 'zk1:2181';
const auth = { scheme: 'digest', credentials: 'payments:s3cret' } as const;
const ALL = ['read', 'write', 'create', 'delete', 'admin'];

/** Options as they come from an untyped source. */
const untyped = (options: unknown): ZkLockModuleOptions => options as ZkLockModuleOptions;

describe('resolveOptions', () => {
  it('should fill in the documented defaults', () => {
    expect(resolveOptions({ connectString: 'zk1,zk2:2182/app' })).toEqual({
      servers: [
        { host: 'zk1', port: 2181 },
        { host: 'zk2', port: 2182 },
      ],
      hosts: 'zk1:2181,zk2:2182',
      chroot: '/app',
      sessionTimeoutMs: 10_000,
      root: '/locks',
      auth: undefined,
      acl: undefined,
      startup: 'require',
      connectTimeoutMs: 10_000,
      handoff: {},
      lingerMs: 0,
      maxWaiting: Infinity,
      waitMs: 20_000,
      attemptMs: 2_000,
      releaseWaitMs: 5_000,
      shutdownGraceMs: 5_000,
      whenUnreachable: 'fail',
      unreachableAfterMs: 10_000,
      retry: { initialMs: 50, maxMs: 5_000, multiplier: 2 },
    });
  });

  it('should keep what is given', () => {
    const given = {
      sessionTimeoutMs: 15_000,
      root: '/teams/orders/locks',
      startup: 'background',
      connectTimeoutMs: 1,
      waitMs: 0,
      attemptMs: 1,
      releaseWaitMs: 0,
      shutdownGraceMs: 2_147_483_647,
      whenUnreachable: 'local',
      unreachableAfterMs: 0,
      retry: { initialMs: 1, maxMs: 1, multiplier: 1 },
    } as const;
    expect(resolveOptions({ connectString, ...given })).toMatchObject(given);
  });

  it('should take undefined for absent, as environments deliver it', () => {
    const { root, startup, waitMs, acl } = resolveOptions({
      connectString,
      root: undefined,
      startup: undefined,
      waitMs: undefined,
      acl: undefined,
      auth: undefined,
    });
    expect({ root, startup, waitMs, acl }).toEqual({
      root: '/locks',
      startup: 'require',
      waitMs: 20_000,
      acl: undefined,
    });
  });

  it.each([
    ['a list of servers', { connectString: ['zk1'] }, /connectString is an array\. Expected a string/],
    ['a bad connect string', { connectString: 'zk1:0' }, /connectString "zk1:0" is not valid/],
    [
      'a number as text',
      { sessionTimeoutMs: '15000' },
      /sessionTimeoutMs is "15000"\. Expected an integer from 1000/,
    ],
    [
      'a timeout of 999',
      { sessionTimeoutMs: 999 },
      /sessionTimeoutMs is 999\. Expected an integer from 1000 to 2147483647 \(ms\)/,
    ],
    ['a timeout beyond int', { sessionTimeoutMs: 2_147_483_648 }, /sessionTimeoutMs is 2147483648/],
    ['NaN', { waitMs: Number('ten') }, /waitMs is NaN\. Expected an integer from 0/],
    ['a negative wait', { waitMs: -1 }, /waitMs is -1/],
    ['a fraction', { waitMs: 1.5 }, /waitMs is 1\.5/],
    ['an endless wait', { waitMs: Infinity }, /waitMs is Infinity/],
    ['null', { waitMs: null }, /waitMs is null/],
    ['no time to connect', { connectTimeoutMs: 0 }, /connectTimeoutMs is 0\. Expected an integer from 1/],
    ['no time for an attempt', { attemptMs: 0 }, /attemptMs is 0\. Expected an integer from 1/],
    ['a negative release', { releaseWaitMs: -5 }, /releaseWaitMs is -5\. Expected an integer from 0/],
    ['a bigint', { shutdownGraceMs: 5n }, /shutdownGraceMs is 5\. Expected an integer from 0/],
    [
      'an unknown fallback',
      { whenUnreachable: 'hope' },
      /whenUnreachable is "hope"\. Expected 'fail' or 'local'/,
    ],
    ['no patience', { unreachableAfterMs: -1 }, /unreachableAfterMs is -1\. Expected an integer from 0/],
    ['a retry policy of another kind', { retry: 3 }, /retry is 3\. Expected \{ initialMs/],
    ['a misspelt retry policy', { retry: { initalMs: 5 } }, /retry\.initalMs/],
    ['no first pause', { retry: { initialMs: 0 } }, /retry\.initialMs is 0\. Expected an integer from 1/],
    [
      'a last pause before the first',
      { retry: { initialMs: 9, maxMs: 8 } },
      /retry\.maxMs is 8\. .* from initialMs \(9\)/,
    ],
    [
      'shrinking pauses',
      { retry: { multiplier: 0.5 } },
      /retry\.multiplier is 0\.5\. Expected a number from 1/,
    ],
    ['the root of everything', { root: '/' }, /root is "\/"\. Expected an absolute path below "\/"/],
    ['a relative root', { root: 'locks' }, /root is "locks"\..*does not start with "\/"/],
    ['an empty root', { root: '' }, /root is ""\./],
    ['a root with a slash at its end', { root: '/locks/' }, /root is "\/locks\/"\..*ends in "\/"/],
    ['a root with an empty name', { root: '/a//b' }, /root is .*empty name/],
    ['a root that climbs', { root: '/a/../b' }, /root is .*relative name "\.\."/],
    ['a root with a control character', { root: '/a\u0007' }, /root is .*U\+0007/],
    ['the root of the server itself', { root: '/zookeeper/locks' }, /root is .*belongs to the server/],
    ['a number for root', { root: 5 }, /root is 5/],
    ['an unknown start', { startup: 'lazy' }, /startup is "lazy"\. Expected 'require' or 'background'/],
    ['auth as text', { auth: 'payments:s3cret' }, /auth is \(not shown\)\. Expected \{ scheme: 'digest'/],
    [
      'another scheme',
      { auth: { scheme: 'sasl', credentials: 'a:b' } },
      /auth\.scheme is "sasl"\. Expected 'digest'/,
    ],
    [
      'credentials without a colon',
      { auth: { scheme: 'digest', credentials: 's3cret' } },
      /auth\.credentials is malformed \(not shown\)/,
    ],
    [
      'credentials without a user',
      { auth: { scheme: 'digest', credentials: ':s3cret' } },
      /auth\.credentials is malformed/,
    ],
    [
      'credentials without a password',
      { auth: { scheme: 'digest', credentials: 'payments:' } },
      /auth\.credentials is malformed/,
    ],
    ['credentials that are missing', { auth: { scheme: 'digest' } }, /auth\.credentials is malformed/],
    [
      'a typo in auth',
      { auth: { ...auth, credential: 'x' } },
      /no option "auth\.credential"\. Did you mean "auth\.credentials"\?/,
    ],
    ['creator without auth', { acl: 'creator' }, /acl is "creator"\. Expected 'open' or a list/],
    ['an unknown acl', { acl: 'closed' }, /acl is "closed"\. Expected 'open', 'creator' or a list/],
    ['an empty acl', { acl: [] }, /acl is an empty list\. Expected/],
    ['an acl entry that is none', { acl: ['world'] }, /acl\[0\] is "world"/],
    [
      'an acl entry without a scheme',
      { acl: [{ id: 'anyone', permissions: ['read'] }] },
      /acl\[0\]\.scheme is undefined/,
    ],
    [
      'an acl entry without an id',
      { acl: [{ scheme: 'ip', permissions: ['read'] }] },
      /acl\[0\]\.id is undefined/,
    ],
    [
      'a world of its own',
      { acl: [{ scheme: 'world', id: 'me', permissions: ['read'] }] },
      /acl\[0\]\.id is "me"\. Expected 'anyone'/,
    ],
    [
      'acl auth without auth',
      { acl: [{ scheme: 'auth', id: '', permissions: ALL }] },
      /acl\[0\]\.scheme is "auth".*the option auth/,
    ],
    [
      'no permissions',
      { acl: [{ scheme: 'world', id: 'anyone', permissions: [] }] },
      /acl\[0\]\.permissions is an array.*at least one/,
    ],
    [
      'unknown permissions',
      { acl: [{ scheme: 'world', id: 'anyone', permissions: ['read', 'all'] }] },
      /acl\[0\]\.permissions is "all"\. Expected a list of 'read', 'write', 'create', 'delete', 'admin'/,
    ],
    ['a typo', { sesionTimeoutMs: 1_000 }, /no option "sesionTimeoutMs"\. Did you mean "sessionTimeoutMs"\?/],
    ['a name in another case', { waitMS: 1 }, /no option "waitMS"\. Did you mean "waitMs"\?/],
    ['an unknown name', { expiry: 1 }, /no option "expiry"\. Known: connectString, sessionTimeoutMs/],
    [
      'isGlobal in the result of a factory',
      { isGlobal: true },
      /isGlobal shapes the module itself.*beside useFactory/,
    ],
    [
      'connectionName in the result of a factory',
      { connectionName: 'x' },
      /connectionName shapes the module itself/,
    ],
  ])('should refuse %s', (_what, given, problem) => {
    const options = untyped({ connectString, ...given });
    expect(() => resolveOptions(options)).toThrow(LockConfigError);
    expect(() => resolveOptions(options)).toThrow(problem);
    expect(() => resolveOptions(options)).not.toThrow(/s3cret/);
  });

  it('should refuse to do without a connect string', () => {
    expect(() => resolveOptions(untyped({}))).toThrow(/connectString is missing\. Expected a string such as/);
  });

  it.each([undefined, null, 'zk1:2181', []])('should refuse %j for the options themselves', (options) => {
    expect(() => resolveOptions(untyped(options))).toThrow(/^ZkLockModule: options is .*Expected an object/);
  });

  it('should give access to the creator alone as soon as there is auth', () => {
    const { acl } = resolveOptions({ connectString, auth });
    expect(acl).toEqual([{ scheme: 'auth', id: '', permissions: ALL }]);
    expect(resolveOptions({ connectString, auth, acl: 'creator' }).acl).toEqual(acl);
  });

  it('should leave everything open when asked to, also with auth', () => {
    expect(resolveOptions({ connectString, auth, acl: 'open' })).toMatchObject({ acl: undefined, auth });
  });

  it('should take an access control list', () => {
    const acl = [
      { scheme: 'auth', id: '', permissions: ['read', 'create', 'delete'] },
      { scheme: 'world', id: 'anyone', permissions: ['read'] },
    ] as const;
    expect(resolveOptions({ connectString, auth, acl }).acl).toEqual(acl);
  });
});

describe('checkExtras', () => {
  it('should take the documented values', () => {
    expect(() => checkExtras({})).not.toThrow();
    expect(() => checkExtras({ isGlobal: false, connectionName: 'billing' })).not.toThrow();
  });

  it.each([
    [{ isGlobal: 'yes' }, /isGlobal is "yes"\. Expected true or false/],
    [{ connectionName: '' }, /connectionName is ""\. Expected a name/],
    [{ connectionName: 7 }, /connectionName is 7\. Expected a name/],
  ])('should refuse %j', (extras, problem) => {
    expect(() => checkExtras(extras as never)).toThrow(LockConfigError);
    expect(() => checkExtras(extras as never)).toThrow(problem);
  });
});
