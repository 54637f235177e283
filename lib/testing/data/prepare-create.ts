import { CreateFlag, Perms } from '../wire/constants.js';
import { ErrorCode } from '../wire/error-codes.js';
import { OpCode } from '../wire/op-codes.js';
import type { CreateRequest } from '../wire/requests.js';
import { checkAccess, resolveAcl } from './access.js';
import { checkParentPath, checkPath, required } from './checks.js';
import { CONTAINER_OWNER, ownerKind, ttlOwner } from './owner.js';
import { formatSequence } from './path.js';
import type { WriteContext } from './request-context.js';
import type { Transaction } from './transaction.js';
import { ZkError } from './zk-error.js';

/** How a node is created: by the operation, and by the flags of its request. */
export type CreateOp =
  typeof OpCode.create | typeof OpCode.create2 | typeof OpCode.createContainer | typeof OpCode.createTTL;

const FLAGS = new Set<number>(Object.values(CreateFlag));
const NO_TTL = -1n;

/**
 * The checks of a create, in ZooKeeper's order.
 * @param ttlMs comes with createTTL only
 */
export function prepareCreate(
  { changes, peer, ttlNodes }: WriteContext,
  op: CreateOp,
  request: CreateRequest,
  ttlMs = NO_TTL,
): Transaction {
  const { flags, data } = request;
  checkFlags(flags, ttlMs, ttlNodes);
  const wanted = required(request.path);
  const parentPath = checkParentPath(wanted);
  const acl = resolveAcl(request.acl, peer);
  const parent = changes.get(parentPath);
  checkAccess(parent.acl, Perms.CREATE, peer);
  const path = checkPath(isSequential(flags) ? wanted + formatSequence(parent.creates) : wanted);
  if (changes.find(path)) throw new ZkError(ErrorCode.NodeExists);
  if (ownerKind(parent.owner) === 'session') throw new ZkError(ErrorCode.NoChildrenForEphemerals);
  const owner = ownerOf(op, flags, ttlMs, peer.sessionId);
  const creates = (parent.creates + 1) | 0;
  changes.change(parentPath, parent, { creates, numChildren: parent.numChildren + 1 });
  changes.create(path, acl, owner);
  return { type: 'create', path, data, acl, owner, creates };
}

export function isTtl(flags: number): boolean {
  return flags === CreateFlag.ttl || flags === CreateFlag.ttlSequential;
}

function isSequential(flags: number): boolean {
  return (
    flags === CreateFlag.persistentSequential ||
    flags === CreateFlag.ephemeralSequential ||
    flags === CreateFlag.ttlSequential
  );
}

function checkFlags(flags: number, ttlMs: bigint, ttlNodes: boolean): void {
  if (!FLAGS.has(flags)) throw new ZkError(ErrorCode.BadArguments);
  if (isTtl(flags) && !ttlNodes) throw new ZkError(ErrorCode.Unimplemented);
  const allowed = isTtl(flags) ? ttlOwner(ttlMs) !== undefined : ttlMs < 0n;
  if (!allowed) throw new ZkError(ErrorCode.BadArguments);
}

/** The operation decides, and for the plain ones the flags: a plain create with the flag of a container makes none. */
function ownerOf(op: CreateOp, flags: number, ttlMs: bigint, sessionId: bigint): bigint {
  if (op === OpCode.createContainer) return CONTAINER_OWNER;
  if (op === OpCode.createTTL) {
    const owner = ttlOwner(ttlMs);
    // createTTL without a TTL ends a real server; here it is refused.
    if (owner === undefined) throw new ZkError(ErrorCode.BadArguments);
    return owner;
  }
  return flags === CreateFlag.ephemeral || flags === CreateFlag.ephemeralSequential ? sessionId : 0n;
}
