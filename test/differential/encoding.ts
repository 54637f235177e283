import { bool, encode, int, record, type Codec } from '../../lib/testing/wire/codec.js';
import { OpCode } from '../../lib/testing/wire/op-codes.js';
import { operations } from '../../lib/testing/wire/operations.js';
import type { Path, Permission, Request, SeenZxid } from './requests.js';

/** What a request needs to know of the run that it is part of. */
export interface Surroundings {
  /** Replaces `~`. */
  root: string;
  zxid(seen: SeenZxid): bigint;
}

export interface Encoded {
  type: number;
  body: Buffer;
}

const multiHeaderCodec = record({ type: int, done: bool, err: int });

export function fullPath(path: Path, root: string): Path {
  return path?.startsWith('~') ? root + path.slice(1) : path;
}

/** The request as it goes over the wire, behind its header's xid. */
export function encodeRequest(request: Request, surroundings: Surroundings): Encoded {
  switch (request.op) {
    case 'truncated': {
      const { type, body } = encodeRequest(request.request, surroundings);
      return { type, body: body.subarray(0, Math.max(0, body.length - request.bytes)) };
    }
    case 'raw':
      return { type: request.type, body: Buffer.from(request.body) };
    case 'deleteContainer':
      return {
        type: OpCode.deleteContainer,
        body: Buffer.from(fullPath(request.path, surroundings.root) ?? ''),
      };
    case 'multi':
    case 'multiRead':
      return { type: OpCode[request.op], body: encodeMulti(request.ops, surroundings) };
    default:
      return {
        type: OpCode[request.op],
        // The codecs write null where ZooKeeper's clients never would; their types do not say so.
        body: encode(operations[request.op].request as Codec<unknown>, fieldsOf(request, surroundings)),
      };
  }
}

function encodeMulti(ops: readonly Request[], surroundings: Surroundings): Buffer {
  const parts = ops.flatMap((op) => {
    const { type, body } = encodeRequest(op, surroundings);
    return [encode(multiHeaderCodec, { type, done: false, err: -1 }), body];
  });
  return Buffer.concat([...parts, encode(multiHeaderCodec, { type: -1, done: true, err: -1 })]);
}

type Plain = Exclude<Request, { op: 'truncated' | 'raw' | 'multi' | 'multiRead' | 'deleteContainer' }>;

function fieldsOf(request: Plain, { root, zxid }: Surroundings): unknown {
  const full = (path: Path) => fullPath(path, root);
  switch (request.op) {
    case 'create':
    case 'create2':
    case 'createContainer':
      return createFields(request, root);
    case 'createTTL':
      return { ...createFields(request, root), ttl: BigInt(request.ttl) };
    case 'setData':
      return { ...request, path: full(request.path), data: bytes(request.data) };
    case 'setACL':
      return { ...request, path: full(request.path), acl: aclFields(request.acl) };
    case 'getEphemerals':
      return { prefixPath: full(request.path) };
    case 'setWatches':
    case 'setWatches2':
      return {
        relativeZxid: zxid(request.seen),
        dataWatches: request.data.map(full),
        existWatches: request.exist.map(full),
        childWatches: request.child.map(full),
        persistentWatches: request.op === 'setWatches2' ? request.persistent.map(full) : [],
        persistentRecursiveWatches: request.op === 'setWatches2' ? request.recursive.map(full) : [],
      };
    case 'auth':
      return { type: 0, scheme: request.scheme, auth: bytes(request.auth) };
    case 'whoAmI':
    case 'ping':
    case 'closeSession':
      return undefined;
    default:
      return { ...request, path: full(request.path) };
  }
}

function createFields(
  { path, data, acl, flags }: { path: Path; data: string | null; acl: Permission[] | null; flags: number },
  root: string,
): object {
  return { path: fullPath(path, root), data: bytes(data), acl: aclFields(acl), flags };
}

function aclFields(acl: Permission[] | null): object[] | null {
  return acl?.map(({ perms, scheme, id }) => ({ perms, id: { scheme, id } })) ?? null;
}

function bytes(text: string | null): Buffer | null {
  return text === null ? null : Buffer.from(text);
}
