import * as fc from 'fast-check';
import {
  acl,
  anyPath,
  data,
  newPath,
  OPEN,
  ownPath,
  paths,
  strictAcl,
  version,
  somePath,
} from './path-arbitraries.js';
import type { Path, Request } from './requests.js';

type RequestOf<O> = Request extends infer R
  ? R extends { op: string }
    ? O extends R['op']
      ? R
      : never
    : never
  : never;

/** `fc.record` with the operation's name. */
function request<O extends Request['op']>(
  op: O,
  fields: { [K in Exclude<keyof RequestOf<O>, 'op'>]: fc.Arbitrary<RequestOf<O>[K]> },
): fc.Arbitrary<Request> {
  return fc.record<object>(fields).map((made) => ({ op, ...made }) as Request);
}

/** 0 persistent, 1 ephemeral, 2 sequential, 3 both, 4 container, 5 and 6 with TTL; others do not exist. */
const flags = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(0, 1, 2, 3) },
  { weight: 1, arbitrary: fc.constantFrom(4, 5, 6, 7, -1) },
);
const containerFlags = fc.oneof(
  { weight: 12, arbitrary: fc.constant(4) },
  { weight: 1, arbitrary: fc.constantFrom(0, 1, 2, 3, 5, 8) },
);
const ttlFlags = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(5, 6) },
  { weight: 1, arbitrary: fc.constantFrom(0, 1, 2, 3, 4) },
);
const TTL_MAX = 2 ** 40 - 1;
const ttl = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(1, 1_000, TTL_MAX) },
  { weight: 1, arbitrary: fc.constantFrom(0, -1, TTL_MAX + 1, 2 ** 52) },
);

/** No flags without TTL beside a negative TTL: ZooKeeper 3.8.0 lets that pass, and ends while it applies it. */
const createTtl = request('createTTL', { path: newPath, data, acl, flags: ttlFlags, ttl }).map((made) =>
  made.op === 'createTTL' && made.flags < 5 ? { ...made, ttl: Math.abs(made.ttl) } : made,
);

const creates: fc.WeightedArbitrary<Request>[] = [
  { weight: 10, arbitrary: request('create', { path: newPath, data, acl, flags }) },
  { weight: 6, arbitrary: request('create2', { path: newPath, data, acl, flags }) },
  { weight: 3, arbitrary: request('createContainer', { path: newPath, data, acl, flags: containerFlags }) },
  { weight: 3, arbitrary: createTtl },
];
const otherWrites: fc.WeightedArbitrary<Request>[] = [
  { weight: 8, arbitrary: request('delete', { path: anyPath, version }) },
  { weight: 7, arbitrary: request('setData', { path: anyPath, data, version }) },
  // never right: a known difference
  { weight: 1, arbitrary: request('check', { path: anyPath, version: fc.constant(77) }) },
];
const watch = fc.constantFrom(true, true, false);
const getData = request('getData', { path: anyPath, watch });
const getChildren = request('getChildren', { path: anyPath, watch });
const reads: fc.WeightedArbitrary<Request>[] = [
  { weight: 5, arbitrary: request('exists', { path: anyPath, watch }) },
  { weight: 5, arbitrary: getData },
  { weight: 4, arbitrary: getChildren },
  { weight: 4, arbitrary: request('getChildren2', { path: anyPath, watch }) },
  { weight: 2, arbitrary: request('getACL', { path: anyPath }) },
  { weight: 1, arbitrary: request('sync', { path: anyPath }) },
  { weight: 1, arbitrary: request('getAllChildrenNumber', { path: anyPath }) },
  { weight: 2, arbitrary: request('getEphemerals', { path: fc.oneof(anyPath, fc.constant(' ')) }) },
  { weight: 1, arbitrary: fc.constant<Request>({ op: 'whoAmI' }) },
  { weight: 1, arbitrary: fc.constant<Request>({ op: 'ping' }) },
];

/** ZooKeeper never closes a connection that watches null. */
const somePaths = fc.array(somePath, { maxLength: 4 });
/** No relative path: a known difference. */
const absolutePath = anyPath.map((path) => (path === null || /^[~/]/.test(path) ? path : '~'));
/** 1 children, 2 data, 3 any; others do not exist. */
const watcherType = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(1, 2, 3) },
  { weight: 1, arbitrary: fc.constantFrom(0, 4, 5, -1) },
);
const seen = fc.constantFrom(
  'zero' as const,
  'start of the run' as const,
  'end of the last connection' as const,
  'end of the last connection' as const,
  'now' as const,
  'ahead' as const,
);
const mode = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(0, 1) },
  { weight: 1, arbitrary: fc.constantFrom(2, -1) },
);
const watches: fc.WeightedArbitrary<Request>[] = [
  { weight: 8, arbitrary: request('addWatch', { path: somePath, mode }) },
  { weight: 4, arbitrary: request('removeWatches', { path: anyPath, type: watcherType }) },
  { weight: 3, arbitrary: request('checkWatches', { path: absolutePath, type: watcherType }) },
  { weight: 2, arbitrary: request('setWatches', { seen, data: paths, exist: paths, child: paths }) },
  {
    weight: 2,
    arbitrary: request('setWatches2', {
      seen,
      data: paths,
      exist: paths,
      child: paths,
      persistent: somePaths,
      recursive: somePaths,
    }),
  },
];

const write = fc.oneof(...creates, ...otherWrites);
/** Seldom refused, or no multi would come to its end. */
const easyWrite = fc.oneof(
  request('create', {
    path: newPath,
    data,
    acl: fc.constant(OPEN),
    flags: fc.constantFrom(2, 3),
  }),
  request('create2', { path: newPath, data, acl: fc.constant(OPEN), flags: fc.constantFrom(0, 1, 2, 3) }),
  request('setData', { path: anyPath, data, version: fc.constant(-1) }),
  request('check', { path: anyPath, version: fc.constantFrom(-1, 0) }),
);
/** A multi without anything that ZooKeeper could stumble over. */
export const easyMulti: fc.Arbitrary<Request> = fc
  .array(easyWrite, { maxLength: 4 })
  .map((ops): Request => ({ op: 'multi', ops: ops.map(withPath) }));

/** No null path inside a multi: a known difference. */
function withPath(request: Request): Request {
  return 'path' in request ? { ...request, path: request.path ?? '' } : request;
}

const multi: fc.WeightedArbitrary<Request>[] = [
  {
    weight: 7,
    arbitrary: fc
      .array(
        fc.oneof(
          { weight: 60, arbitrary: easyWrite },
          { weight: 20, arbitrary: write },
          { weight: 1, arbitrary: fc.oneof(...reads) },
        ),
        {
          maxLength: 5,
        },
      )
      .map((ops): Request => ({ op: 'multi', ops: ops.map(withPath) })),
  },
  {
    weight: 3,
    arbitrary: fc
      .array(
        fc.oneof(
          { weight: 20, arbitrary: getData },
          { weight: 20, arbitrary: getChildren },
          { weight: 1, arbitrary: fc.oneof(...otherWrites, ...reads) },
        ),
        { maxLength: 4 },
      )
      .map((ops): Request => ({ op: 'multiRead', ops: ops.map(withPath) })),
  },
];

const access: fc.WeightedArbitrary<Request>[] = [
  {
    weight: 4,
    arbitrary: request('setACL', { path: ownPath, acl: fc.oneof(acl, strictAcl), version }),
  },
  {
    weight: 3,
    arbitrary: fc.oneof(
      {
        weight: 12,
        arbitrary: fc.constantFrom<Request>(
          { op: 'auth', scheme: 'digest', auth: 'alice:secret' },
          { op: 'auth', scheme: 'digest', auth: 'bob:secret' },
        ),
      },
      {
        weight: 1,
        arbitrary: fc.constantFrom<Request>(
          { op: 'auth', scheme: 'digest', auth: 'carol' },
          { op: 'auth', scheme: 'digest', auth: '' },
          { op: 'auth', scheme: 'digest', auth: ':' },
          { op: 'auth', scheme: 'digest', auth: 'super:secret' },
          { op: 'auth', scheme: 'digest', auth: 'a:b:c' },
          { op: 'auth', scheme: 'digest', auth: null },
          { op: 'auth', scheme: 'ip', auth: '10.0.0.1' },
          { op: 'auth', scheme: 'ip', auth: null },
          { op: 'auth', scheme: 'world', auth: 'anyone' },
          { op: 'auth', scheme: 'auth', auth: '' },
          { op: 'auth', scheme: 'x509', auth: '' },
          { op: 'auth', scheme: 'unknown', auth: 'x' },
          { op: 'auth', scheme: '', auth: 'x' },
          { op: 'auth', scheme: null, auth: 'x' },
        ),
      },
    ),
  },
];

const oddType = fc.constantFrom(-2, 0, 10, 16, 20, 23, 99, 108, 1_000, -12, 2 ** 31 - 1);
const bytes = fc.array(fc.constantFrom(0, 0, 0, 1, 47, 97, 255), { maxLength: 24 });
const anyType = fc.constantFrom(
  1,
  2,
  3,
  4,
  5,
  6,
  7,
  8,
  9,
  12,
  14,
  15,
  17,
  18,
  19,
  21,
  22,
  101,
  103,
  104,
  105,
  106,
);
const wellFormed = fc.oneof(...creates, ...otherWrites, ...reads, ...watches, ...multi, ...access);
const odd: fc.WeightedArbitrary<Request>[] = [
  { weight: 1, arbitrary: request('deleteContainer', { path: ownPath }) },
  { weight: 1, arbitrary: request('raw', { type: oddType, body: bytes }) },
  { weight: 1, arbitrary: request('raw', { type: anyType, body: bytes }) },
  {
    weight: 1,
    arbitrary: request('truncated', { request: wellFormed, bytes: fc.constantFrom(1, 2, 4, 5, 9) }),
  },
];

/** Any request, good or bad. */
export const anyRequest: fc.Arbitrary<Request> = fc.oneof(
  ...creates,
  ...otherWrites,
  ...reads,
  ...watches,
  ...multi,
  ...access,
  ...odd,
);

const near = fc.constantFrom<Path>('~/a', '~/a/a');
const notMuch = fc.constantFrom('x', 'y');
const anyVersion = fc.constant(-1);

/** Requests about two nodes alone: who may do what, and who hears of it. */
export const nearbyRequest: fc.Arbitrary<Request> = fc.oneof(
  { weight: 6, arbitrary: request('setData', { path: near, data: notMuch, version: anyVersion }) },
  {
    weight: 3,
    arbitrary: request('create', {
      path: near,
      data: notMuch,
      acl: fc.oneof(fc.constant(OPEN), strictAcl),
      flags: fc.constantFrom(0, 1),
    }),
  },
  { weight: 3, arbitrary: request('delete', { path: near, version: anyVersion }) },
  {
    weight: 5,
    arbitrary: request('setACL', { path: near, acl: fc.oneof(strictAcl, acl), version: anyVersion }),
  },
  { weight: 3, arbitrary: request('getACL', { path: near }) },
  { weight: 3, arbitrary: request('exists', { path: near, watch }) },
  { weight: 3, arbitrary: request('getData', { path: near, watch }) },
  { weight: 3, arbitrary: request('getChildren2', { path: near, watch }) },
  { weight: 3, arbitrary: request('addWatch', { path: near, mode }) },
  { weight: 2, arbitrary: request('removeWatches', { path: near, type: watcherType }) },
  {
    weight: 2,
    arbitrary: request('setWatches', {
      seen,
      data: fc.array(near, { maxLength: 2 }),
      exist: fc.array(near, { maxLength: 2 }),
      child: fc.array(near, { maxLength: 2 }),
    }),
  },
  ...access,
);
