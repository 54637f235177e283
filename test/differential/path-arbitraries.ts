import * as fc from 'fast-check';
import type { Path, Permission } from './requests.js';

/** Few names, so that the clients meet. `~` is the root of the run. */
const TREE = ['~', '~/a', '~/a', '~/b', '~/a/a', '~/a/b', '~/b/a', '~/a/a/a', '~/c'];
/** Those of them that are there at the start of every run. */
export const FIRST_NODES = ['~', '~/a', '~/b', '~/a/a', '~/b/a'];
/** Prefixes of sequential nodes, and nodes that only sequential creates make. */
const SEQUENTIAL = [
  '~/',
  '~/s-',
  '~/a/s-',
  '~/s-0000000000',
  '~/s-0000000001',
  '~/0000000000',
  '~/a/s-0000000001',
];
/** Nodes that every server has. What is done to them outlives a run, so little is. */
const RESERVED = ['/', '/zookeeper', '/zookeeper/quota', '/zookeeper/config'];
const BAD: Path[] = [
  '',
  'a',
  'a/b',
  '//',
  '~/a/',
  '~//a',
  '~/./a',
  '~/a/..',
  '~/a/.',
  '~/...',
  '~/.a',
  '~/a\u0000b',
  '~/a\u0001b',
  '~/a\u007f',
  '~/a\u009f',
  '~/a\u00a0',
  '~/\uf000',
  '~/\ufff0',
  '~/é日本',
  '~/𝄞',
  '~/%20 x',
  null,
];

const known = fc.constantFrom<Path[]>(...TREE);

/** A path to read or watch, or for requests that leave no trace. */
export const anyPath: fc.Arbitrary<Path> = fc.oneof(
  { weight: 20, arbitrary: known },
  { weight: 3, arbitrary: fc.constantFrom<Path[]>(...SEQUENTIAL) },
  { weight: 2, arbitrary: fc.constantFrom<Path[]>(...RESERVED, '/zookeeper/nothing', '/nothing') },
  { weight: 1, arbitrary: fc.constantFrom(...BAD) },
);

/** A path to create: reserved ones only where the answer is an error. */
export const newPath: fc.Arbitrary<Path> = fc.oneof(
  { weight: 20, arbitrary: known },
  { weight: 6, arbitrary: fc.constantFrom<Path[]>(...SEQUENTIAL) },
  { weight: 1, arbitrary: fc.constantFrom<Path[]>(...RESERVED, '/nothing/a', '/zookeeper/config/a') },
  { weight: 1, arbitrary: fc.constantFrom(...BAD) },
);

/** A path whose access list is set: never a reserved one. */
export const ownPath: fc.Arbitrary<Path> = fc.oneof(
  { weight: 20, arbitrary: known },
  { weight: 2, arbitrary: fc.constantFrom<Path[]>(...SEQUENTIAL, '/zookeeper/config', '/nothing') },
  { weight: 1, arbitrary: fc.constantFrom(...BAD) },
);

/** A path that is not null. */
export const somePath = anyPath.map((path) => path ?? '');

export const paths = fc.array(anyPath, { maxLength: 4 });

/** -1 is any version; small ones are often right. */
export const version = fc.oneof(
  { weight: 8, arbitrary: fc.constant(-1) },
  { weight: 5, arbitrary: fc.constantFrom(0, 0, 1, 2) },
  { weight: 1, arbitrary: fc.constantFrom(-2, 99, 2 ** 31 - 1, -(2 ** 31)) },
);

export const data = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<(string | null)[]>('x', 'some data') },
  { weight: 2, arbitrary: fc.constantFrom<(string | null)[]>('', null) },
  { weight: 1, arbitrary: fc.constant('long '.repeat(1_000)) },
);

const ALL = 31;
const perms = fc.oneof(
  { weight: 4, arbitrary: fc.constant(ALL) },
  { weight: 2, arbitrary: fc.constantFrom(0, 1, 2, 4, 8, 16, ALL ^ 1, ALL ^ 2, ALL ^ 4, ALL ^ 8, ALL ^ 16) },
  { weight: 1, arbitrary: fc.constantFrom(32, -1, 255) },
);

/** user:base64(sha1(user:password)), for the users `alice:secret` and `bob:secret`. */
export const ALICE = 'alice:aYXlLOpEooaV1cRAvUL1fp9Qt7E=';
export const BOB = 'bob:fyVmFCwVbTJYrznoSu1koqYEYF0=';

const identity = fc.oneof(
  { weight: 8, arbitrary: fc.constant(['world', 'anyone']) },
  { weight: 4, arbitrary: fc.constantFrom(['digest', ALICE], ['digest', BOB]) },
  { weight: 4, arbitrary: fc.constantFrom(['auth', ''], ['auth', 'whatever']) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ['ip', '127.0.0.1'],
      ['ip', '127.0.0.0/8'],
      ['ip', '10.0.0.1'],
      ['ip', '10.0.0.0/8'],
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom<(string | null)[][]>(
      ['world', 'someone'],
      ['world', ''],
      ['digest', 'alice'],
      ['digest', ''],
      ['digest', 'a:b:c'],
      ['digest', ':'],
      ['ip', 'localhost'],
      ['ip', '127.0.0.1/33'],
      ['ip', '127.0.0.1/-1'],
      ['ip', '127.0.0.1/x'],
      ['ip', '127.0.0'],
      ['ip', '127.0.0.256'],
      ['ip', '127.0.0.1/8/9'],
      ['ip', ''],
      ['ip', '::1'],
      ['x509', 'CN=somebody'],
      ['sasl', 'somebody'],
      ['super', ''],
      ['', ''],
      ['unknown', 'somebody'],
      [null, 'somebody'],
      ['world', null],
      ['digest', null],
    ),
  },
);

const permission: fc.Arbitrary<Permission> = fc
  .tuple(perms, identity)
  .map(([granted, [scheme, id]]) => ({ perms: granted, scheme: scheme ?? null, id: id ?? null }));
export const OPEN: Permission[] = [{ perms: ALL, scheme: 'world', id: 'anyone' }];

/** Shuts somebody out, but not for ever. */
export const strictAcl: fc.Arbitrary<Permission[]> = fc
  .record({
    perms: fc.constantFrom(ALL ^ 1, ALL ^ 2, ALL ^ 4, ALL ^ 8, ALL ^ 16, 1, 16, 0),
    user: fc.constantFrom(ALICE, BOB),
  })
  .map(({ perms, user }) => [
    { perms, scheme: 'world', id: 'anyone' },
    { perms: ALL, scheme: 'digest', id: user },
  ]);

/** Mostly open, or half of all requests would end at it. */
export const acl: fc.Arbitrary<Permission[] | null> = fc.oneof(
  { weight: 24, arbitrary: fc.constant(OPEN) },
  { weight: 4, arbitrary: fc.array(permission, { minLength: 1, maxLength: 3 }) },
  { weight: 1, arbitrary: permission.map((entry) => [entry, ...OPEN, entry]) },
  { weight: 1, arbitrary: fc.constantFrom<(Permission[] | null)[]>([], null) },
);
