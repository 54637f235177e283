import { Perms } from '../wire/constants.js';
import { ErrorCode } from '../wire/error-codes.js';
import type { CheckVersionRequest, DeleteRequest, SetAclRequest, SetDataRequest } from '../wire/requests.js';
import { checkAccess, resolveAcl } from './access.js';
import { checkParentPath, checkPath, nextVersion, required } from './checks.js';
import type { Transaction } from './transaction.js';
import type { WriteContext } from './request-context.js';
import { ZkError } from './zk-error.js';

// The checks of each write, in ZooKeeper's order (PrepRequestProcessor): of several errors the first is answered.

export function prepareDelete({ changes, peer, tree }: WriteContext, request: DeleteRequest): Transaction {
  const path = required(request.path);
  const parentPath = checkParentPath(path);
  if (tree.isReserved(path)) throw new ZkError(ErrorCode.BadArguments);
  const parent = changes.get(parentPath);
  checkAccess(parent.acl, Perms.DELETE, peer);
  const node = changes.get(path);
  nextVersion(node.version, request.version);
  if (node.numChildren > 0) throw new ZkError(ErrorCode.NotEmpty);
  changes.change(parentPath, parent, { numChildren: parent.numChildren - 1 });
  changes.delete(path);
  return { type: 'delete', path };
}

export function prepareSetData({ changes, peer }: WriteContext, request: SetDataRequest): Transaction {
  const path = checkPath(request.path);
  const node = changes.get(path);
  checkAccess(node.acl, Perms.WRITE, peer);
  const version = nextVersion(node.version, request.version);
  changes.change(path, node, { version });
  return { type: 'setData', path, data: request.data, version };
}

export function prepareSetAcl({ changes, peer }: WriteContext, request: SetAclRequest): Transaction {
  const path = checkPath(request.path);
  const acl = resolveAcl(request.acl, peer);
  const node = changes.get(path);
  checkAccess(node.acl, Perms.ADMIN, peer);
  const version = nextVersion(node.aversion, request.version);
  return { type: 'setACL', path, acl, version };
}

export function prepareCheck({ changes, peer }: WriteContext, request: CheckVersionRequest): Transaction {
  const path = checkPath(request.path);
  const node = changes.get(path);
  checkAccess(node.acl, Perms.READ, peer);
  nextVersion(node.version, request.version);
  return { type: 'check', path };
}
