import { encode } from '../wire/codec.js';
import { ErrorCode } from '../wire/error-codes.js';
import { multiRequestCodec, multiResponseCodec } from '../wire/multi.js';
import { OpCode } from '../wire/op-codes.js';
import * as requests from '../wire/requests.js';
import { create2ResponseCodec, createResponseCodec, statResponseCodec } from '../wire/responses.js';
import type { Moment } from './data-tree.js';
import { runMulti } from './multi-transaction.js';
import { prepareCreate, type CreateOp } from './prepare-create.js';
import { prepareCheck, prepareDelete, prepareSetAcl, prepareSetData } from './prepare.js';
import type { Write, WriteContext } from './request-context.js';
import { applyTransaction, type Transaction } from './transaction.js';
import { ZkError } from './zk-error.js';

const create =
  (op: CreateOp): Write =>
  (context, body, at) => {
    const request = requests.createRequestCodec.read(body);
    return answerCreate(op, context, prepareCreate(context, op, request), at);
  };

export const writes: ReadonlyMap<number, Write> = new Map<number, Write>([
  [OpCode.create, create(OpCode.create)],
  [OpCode.create2, create(OpCode.create2)],
  [OpCode.createContainer, create(OpCode.createContainer)],
  [
    OpCode.createTTL,
    (context, body, at) => {
      const request = requests.createTtlRequestCodec.read(body);
      const txn = prepareCreate(context, OpCode.createTTL, request, request.ttl);
      return answerCreate(OpCode.createTTL, context, txn, at);
    },
  ],
  [
    OpCode.delete,
    (context, body, at) => {
      applyTransaction(context.tree, prepareDelete(context, requests.deleteRequestCodec.read(body)), at);
      return undefined;
    },
  ],
  [
    OpCode.setData,
    (context, body, at) =>
      answerStat(context, prepareSetData(context, requests.setDataRequestCodec.read(body)), at),
  ],
  [
    OpCode.setACL,
    (context, body, at) =>
      answerStat(context, prepareSetAcl(context, requests.setAclRequestCodec.read(body)), at),
  ],
  [
    OpCode.check,
    (context, body, at) =>
      answerStat(context, prepareCheck(context, requests.checkVersionRequestCodec.read(body)), at),
  ],
  [
    OpCode.multi,
    (context, body, at) => encode(multiResponseCodec, runMulti(context, multiRequestCodec.read(body), at)),
  ],
  // Only the server itself removes containers; from a client, ZooKeeper misreads the path.
  [OpCode.deleteContainer, () => refuse(ErrorCode.BadArguments)],
  [OpCode.reconfig, () => refuse(ErrorCode.ReconfigDisabled)],
]);

function answerCreate(op: CreateOp, { tree }: WriteContext, txn: Transaction, at: Moment): Buffer {
  const stat = applyTransaction(tree, txn, at);
  const { path } = txn;
  return op === OpCode.create || !stat
    ? encode(createResponseCodec, { path })
    : encode(create2ResponseCodec, { path, stat });
}

function answerStat({ tree }: WriteContext, txn: Transaction, at: Moment): Buffer | undefined {
  const stat = applyTransaction(tree, txn, at);
  return stat && encode(statResponseCodec, { stat });
}

function refuse(code: number): never {
  throw new ZkError(code);
}
