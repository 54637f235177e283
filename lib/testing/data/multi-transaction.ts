import { encode } from '../wire/codec.js';
import { ErrorCode } from '../wire/error-codes.js';
import type { JuteReader } from '../wire/jute-reader.js';
import {
  isMultiRead,
  multiRequestCodec,
  multiResponseCodec,
  type MultiOp,
  type MultiResult,
  type MultiWrite,
} from '../wire/multi.js';
import { CreateFlag } from '../wire/constants.js';
import { OpCode } from '../wire/op-codes.js';
import type { CreateRequest } from '../wire/requests.js';
import type { Moment } from './data-tree.js';
import { ownerKind } from './owner.js';
import { isTtl, prepareCreate } from './prepare-create.js';
import { prepareCheck, prepareDelete, prepareSetData } from './prepare.js';
import type { Write, WriteContext } from './request-context.js';
import { applyTransaction, type Transaction } from './transaction.js';
import { ZkError } from './zk-error.js';

/** An answer without results: what ZooKeeper had begun to write when it stumbled. */
const NO_RESULTS = encode(multiResponseCodec, []);

/**
 * All operations or none. When one fails, its place in the answer says why, those before it say OK and those behind it
 * RuntimeInconsistency; the answer as a whole is no error.
 */
export const answerMulti: Write = (context, body, begin) => {
  const ops = readOps(body, begin);
  if (ops.some(({ request }) => request.path === null))
    throw new ZkError(ErrorCode.MarshallingError, NO_RESULTS);
  return encode(multiResponseCodec, runMulti(context, ops, begin()));
};

function readOps(body: JuteReader, begin: () => Moment): MultiOp[] {
  try {
    return multiRequestCodec.read(body);
  } catch (error) {
    begin();
    throw error;
  }
}

function runMulti(context: WriteContext, ops: readonly MultiOp[], at: Moment): MultiResult[] {
  const transactions: Transaction[] = [];
  for (const item of ops) {
    try {
      transactions.push(prepareItem(context, item));
    } catch (error) {
      if (!(error instanceof ZkError) || error.code === ErrorCode.MarshallingError) throw error;
      return failure(ops.length, transactions.length, error.code);
    }
  }
  return transactions.map((txn) => apply(context, txn, at));
}

function failure(length: number, failedIndex: number, code: number): MultiResult[] {
  return Array.from({ length }, (_, index) => {
    const others = index < failedIndex ? ErrorCode.OK : ErrorCode.RuntimeInconsistency;
    return { op: OpCode.error, result: { err: index === failedIndex ? code : others } };
  });
}

function prepareItem(context: WriteContext, item: MultiOp): Transaction {
  if (isMultiRead(item)) throw new ZkError(ErrorCode.MarshallingError);
  return prepareWrite(context, item);
}

function prepareWrite(context: WriteContext, item: MultiWrite): Transaction {
  switch (item.op) {
    case OpCode.delete:
      return prepareDelete(context, item.request);
    case OpCode.check:
      return prepareCheck(context, item.request);
    case OpCode.setData:
      return prepareSetData(context, item.request);
    case OpCode.createTTL:
      if (isTtl(item.request.flags)) return prepareCreate(context, item.op, item.request, item.request.ttl);
      return prepareByFlags(context, item.request);
    default:
      return prepareByFlags(context, item.request);
  }
}

/** In a multi the flags decide what a create makes, whatever its operation says. */
function prepareByFlags(context: WriteContext, request: CreateRequest): Transaction {
  if (isTtl(request.flags)) throw new ZkError(ErrorCode.MarshallingError);
  const op = request.flags === CreateFlag.container ? OpCode.createContainer : OpCode.create;
  return prepareCreate(context, op, request);
}

function apply({ tree }: WriteContext, txn: Transaction, at: Moment): MultiResult {
  const stat = applyTransaction(tree, txn, at);
  if (txn.type === 'create' && stat) {
    const { path, owner } = txn;
    const kind = ownerKind(owner);
    return kind === 'container' || kind === 'ttl'
      ? { op: OpCode.create2, result: { path, stat } }
      : { op: OpCode.create, result: { path } };
  }
  if (txn.type === 'setData' && stat) return { op: OpCode.setData, result: { stat } };
  return { op: txn.type === 'delete' ? OpCode.delete : OpCode.check };
}
