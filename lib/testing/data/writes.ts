import { encode, type Codec } from '../wire/codec.js';
import { ErrorCode } from '../wire/error-codes.js';
import { OpCode } from '../wire/op-codes.js';
import * as requests from '../wire/requests.js';
import { create2ResponseCodec, createResponseCodec, statResponseCodec } from '../wire/responses.js';
import type { Moment } from './data-tree.js';
import { answerMulti } from './multi-transaction.js';
import { prepareCreate, type CreateOp } from './prepare-create.js';
import { prepareCheck, prepareDelete, prepareSetAcl, prepareSetData } from './prepare.js';
import type { Write, WriteContext } from './request-context.js';
import { applyTransaction, type Transaction } from './transaction.js';
import { ZkError } from './zk-error.js';

/** Takes the zxid, reads, checks, applies: also what cannot be read or is refused has a zxid. */
function write<T>(
  codec: Codec<T>,
  prepare: (context: WriteContext, request: T) => Transaction,
  answer: (tree: WriteContext['tree'], txn: Transaction, at: Moment) => Buffer | undefined,
): Write {
  return (context, body, begin) => {
    const at = begin();
    return answer(context.tree, prepare(context, codec.read(body)), at);
  };
}

function create(op: CreateOp): Write {
  const answer = op === OpCode.create ? answerPath : answerPathAndStat;
  return write(
    requests.createRequestCodec,
    (context, request) => prepareCreate(context, op, request),
    answer,
  );
}

function refuseWrite(code: number): Write {
  return (_context, _body, begin) => {
    begin();
    throw new ZkError(code);
  };
}

export const writes: ReadonlyMap<number, Write> = new Map<number, Write>([
  [OpCode.create, create(OpCode.create)],
  [OpCode.create2, create(OpCode.create2)],
  [OpCode.createContainer, create(OpCode.createContainer)],
  [
    OpCode.createTTL,
    write(
      requests.createTtlRequestCodec,
      (context, request) => prepareCreate(context, OpCode.createTTL, request, request.ttl),
      answerPathAndStat,
    ),
  ],
  [OpCode.delete, write(requests.deleteRequestCodec, prepareDelete, answerNothing)],
  [OpCode.setData, write(requests.setDataRequestCodec, prepareSetData, answerStat)],
  [OpCode.setACL, write(requests.setAclRequestCodec, prepareSetAcl, answerStat)],
  // A real 3.8 never answers a check outside a multi that succeeds: it fails to write the stat that it has not looked up.
  [OpCode.check, write(requests.checkVersionRequestCodec, prepareCheck, answerStat)],
  [OpCode.multi, answerMulti],
  // What only the server itself sends: ZooKeeper misreads it when it comes from a client.
  [OpCode.deleteContainer, refuseWrite(ErrorCode.BadArguments)],
  [OpCode.createSession, refuseWrite(ErrorCode.MarshallingError)],
  [
    OpCode.reconfig,
    (context, body, begin) => {
      requests.reconfigRequestCodec.read(body);
      return refuseWrite(ErrorCode.ReconfigDisabled)(context, body, begin);
    },
  ],
]);

function answerPath(tree: WriteContext['tree'], txn: Transaction, at: Moment): Buffer {
  applyTransaction(tree, txn, at);
  return encode(createResponseCodec, { path: txn.path });
}

function answerPathAndStat(tree: WriteContext['tree'], txn: Transaction, at: Moment): Buffer | undefined {
  const stat = applyTransaction(tree, txn, at);
  return stat && encode(create2ResponseCodec, { path: txn.path, stat });
}

function answerStat(tree: WriteContext['tree'], txn: Transaction, at: Moment): Buffer | undefined {
  const stat = applyTransaction(tree, txn, at);
  return stat && encode(statResponseCodec, { stat });
}

function answerNothing(tree: WriteContext['tree'], txn: Transaction, at: Moment): undefined {
  applyTransaction(tree, txn, at);
}
