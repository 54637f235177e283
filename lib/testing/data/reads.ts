import { Perms } from '../wire/constants.js';
import { encode } from '../wire/codec.js';
import { ErrorCode } from '../wire/error-codes.js';
import type { JuteReader } from '../wire/jute-reader.js';
import {
  isMultiRead,
  multiRequestCodec,
  multiResponseCodec,
  type MultiRead,
  type MultiResult,
} from '../wire/multi.js';
import { OpCode } from '../wire/op-codes.js';
import * as requests from '../wire/requests.js';
import * as responses from '../wire/responses.js';
import { checkAccess, hidePasswords, idsInOrder, isAllowed } from './access.js';
import { authSchemes } from './auth-schemes.js';
import { required } from './checks.js';
import type { DataNode } from './data-node.js';
import type { DataTree } from './data-tree.js';
import type { Read, ReadContext } from './request-context.js';
import { watchRequests } from './watch-requests.js';
import { ZkError } from './zk-error.js';

export const reads: ReadonlyMap<number, Read> = new Map<number, Read>([
  [
    OpCode.exists,
    ({ tree, peer }, body) => {
      const { path: maybe, watch } = requests.existsRequestCodec.read(body);
      const path = required(maybe);
      if (path.includes('\0')) throw new ZkError(ErrorCode.BadArguments);
      // Also on a node that does not exist: the watch waits for it.
      if (watch) tree.dataWatches.add(path, peer, 'once');
      return encode(responses.statResponseCodec, { stat: find(tree, path).stat });
    },
  ],
  [
    OpCode.getData,
    (context, body) => {
      const { path, watch } = requests.getDataRequestCodec.read(body);
      const { data, stat } = readable(context, path);
      if (watch) context.tree.dataWatches.add(required(path), context.peer, 'once');
      return encode(responses.getDataResponseCodec, { data, stat });
    },
  ],
  [
    OpCode.getChildren,
    (context, body) =>
      encode(responses.getChildrenResponseCodec, { children: [...list(context, body).children] }),
  ],
  [
    OpCode.getChildren2,
    (context, body) => {
      const { children, stat } = list(context, body);
      return encode(responses.getChildren2ResponseCodec, { children: [...children], stat });
    },
  ],
  [
    OpCode.getAllChildrenNumber,
    (context, body) => {
      const { path } = requests.getAllChildrenNumberRequestCodec.read(body);
      readable(context, path);
      const totalNumber = context.tree.countBelow(required(path));
      return encode(responses.getAllChildrenNumberResponseCodec, { totalNumber });
    },
  ],
  [
    OpCode.getACL,
    ({ tree, peer }, body) => {
      const node = find(tree, requests.getAclRequestCodec.read(body).path);
      checkAccess(node.acl, Perms.READ | Perms.ADMIN, peer);
      const acl = isAllowed(node.acl, Perms.ADMIN, peer) ? [...node.acl] : hidePasswords(node.acl);
      return encode(responses.getAclResponseCodec, { acl, stat: node.stat });
    },
  ],
  [OpCode.sync, (_, body) => encode(requests.syncCodec, requests.syncCodec.read(body))],
  [
    OpCode.getEphemerals,
    ({ tree, peer }, body) => {
      const { prefixPath } = requests.getEphemeralsRequestCodec.read(body);
      const all = tree.ephemeralsOf(peer.sessionId);
      const ephemerals = all.filter((path) => isEverything(prefixPath) || path.startsWith(prefixPath ?? ''));
      return encode(responses.getEphemeralsResponseCodec, { ephemerals });
    },
  ],
  [
    OpCode.whoAmI,
    ({ peer }) => {
      const clientInfo = idsInOrder(peer).map(({ scheme, id }) => {
        return { authScheme: scheme, user: authSchemes.get(scheme)?.userOf(id) ?? '' };
      });
      return encode(responses.whoAmIResponseCodec, { clientInfo });
    },
  ],
  [
    OpCode.multiRead,
    (context, body) => {
      const ops = multiRequestCodec.read(body);
      const results: MultiResult[] = [];
      for (const item of ops) {
        if (!isMultiRead(item) || item.request.path === null) {
          throw new ZkError(ErrorCode.MarshallingError, encode(multiResponseCodec, results));
        }
        results.push(readItem(context, item));
      }
      return encode(multiResponseCodec, results);
    },
  ],
  ...watchRequests,
]);

/** One that fails does not keep the others from being answered. */
function readItem(context: ReadContext, { op, request }: MultiRead): MultiResult {
  try {
    const { children, data, stat } = readable(context, request.path);
    return op === OpCode.getChildren
      ? { op, result: { children: [...children] } }
      : { op, result: { data, stat } };
  } catch (error) {
    if (!(error instanceof ZkError)) throw error;
    return { op: OpCode.error, result: { err: error.code } };
  }
}

function list(context: ReadContext, body: JuteReader): DataNode {
  const { path, watch } = requests.getChildrenRequestCodec.read(body);
  const node = readable(context, path);
  if (watch) context.tree.childWatches.add(required(path), context.peer, 'once');
  return node;
}

/** @throws {ZkError} NoNode, NoAuth */
function readable({ tree, peer }: ReadContext, path: string | null): DataNode {
  const node = find(tree, path);
  checkAccess(node.acl, Perms.READ, peer);
  return node;
}

/** @throws {ZkError} NoNode */
function find(tree: DataTree, path: string | null): DataNode {
  const node = tree.get(required(path));
  if (!node) throw new ZkError(ErrorCode.NoNode);
  return node;
}

/** No prefix, or the root's; characters up to the space do not count around it. */
function isEverything(prefix: string | null): boolean {
  return prefix === null || /^[\0- ]*\/?[\0- ]*$/.test(prefix);
}
