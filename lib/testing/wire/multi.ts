import { bool, int, record, type Codec, type Decoded } from './codec.js';
import type { JuteReader } from './jute-reader.js';
import type { JuteWriter } from './jute-writer.js';
import { MalformedRecordError } from './malformed-record-error.js';
import { opName, OpCode } from './op-codes.js';
import {
  checkVersionRequestCodec,
  createRequestCodec,
  createTtlRequestCodec,
  deleteRequestCodec,
  getChildrenRequestCodec,
  getDataRequestCodec,
  setDataRequestCodec,
  type CreateRequest,
  type CreateTtlRequest,
  type DeleteRequest,
  type PathAndWatch,
  type SetDataRequest,
} from './requests.js';
import {
  create2ResponseCodec,
  createResponseCodec,
  errorResponseCodec,
  getChildrenResponseCodec,
  getDataResponseCodec,
  statResponseCodec,
} from './responses.js';

// Requests and answers of multi and multiRead: each operation behind a header of its own, the last header says "done".

const multiHeaderCodec = record({ type: int, done: bool, err: int });
const END = { type: -1, done: true, err: -1 };

/** What a multi may hold. */
export type MultiWrite =
  | {
      op: typeof OpCode.create | typeof OpCode.create2 | typeof OpCode.createContainer;
      request: CreateRequest;
    }
  | { op: typeof OpCode.createTTL; request: CreateTtlRequest }
  | { op: typeof OpCode.delete | typeof OpCode.check; request: DeleteRequest }
  | { op: typeof OpCode.setData; request: SetDataRequest };
/** What a multiRead may hold. */
export interface MultiRead {
  op: typeof OpCode.getChildren | typeof OpCode.getData;
  /** `watch` is ignored: a multiRead sets no watches. */
  request: PathAndWatch;
}
export type MultiOp = MultiWrite | MultiRead;

/** What became of one operation; an answer holds as many as the request, in its order. */
export type MultiResult =
  | { op: typeof OpCode.create; result: Decoded<typeof createResponseCodec> }
  | { op: typeof OpCode.create2; result: Decoded<typeof create2ResponseCodec> }
  | { op: typeof OpCode.setData; result: Decoded<typeof statResponseCodec> }
  | { op: typeof OpCode.delete | typeof OpCode.check }
  | { op: typeof OpCode.getChildren; result: Decoded<typeof getChildrenResponseCodec> }
  | { op: typeof OpCode.getData; result: Decoded<typeof getDataResponseCodec> }
  | { op: typeof OpCode.error; result: Decoded<typeof errorResponseCodec> };

export const multiRequestCodec: Codec<MultiOp[]> = {
  read(reader) {
    const ops = readItems(reader, readOp);
    if (new Set(ops.map(isMultiRead)).size > 1) {
      throw new MalformedRecordError('Reads and writes in one multi');
    }
    return ops;
  },
  write(writer, ops) {
    for (const item of ops) {
      multiHeaderCodec.write(writer, { type: item.op, done: false, err: -1 });
      writeOp(writer, item);
    }
    multiHeaderCodec.write(writer, END);
  },
};

export const multiResponseCodec: Codec<MultiResult[]> = {
  read: (reader) => readItems(reader, readResult),
  write(writer, results) {
    for (const item of results) {
      const err = item.op === OpCode.error ? item.result.err : 0;
      multiHeaderCodec.write(writer, { type: item.op, done: false, err });
      writeResult(writer, item);
    }
    multiHeaderCodec.write(writer, END);
  },
};

export function isMultiRead(item: MultiOp): item is MultiRead {
  return item.op === OpCode.getChildren || item.op === OpCode.getData;
}

function readItems<T>(reader: JuteReader, readItem: (type: number, reader: JuteReader) => T): T[] {
  const items: T[] = [];
  for (;;) {
    const { type, done } = multiHeaderCodec.read(reader);
    if (done) return items;
    items.push(readItem(type, reader));
  }
}

function readOp(type: number, reader: JuteReader): MultiOp {
  switch (type) {
    case OpCode.create:
    case OpCode.create2:
    case OpCode.createContainer:
      return { op: type, request: createRequestCodec.read(reader) };
    case OpCode.createTTL:
      return { op: type, request: createTtlRequestCodec.read(reader) };
    case OpCode.delete:
      return { op: type, request: deleteRequestCodec.read(reader) };
    case OpCode.check:
      return { op: type, request: checkVersionRequestCodec.read(reader) };
    case OpCode.setData:
      return { op: type, request: setDataRequestCodec.read(reader) };
    case OpCode.getChildren:
      return { op: type, request: getChildrenRequestCodec.read(reader) };
    case OpCode.getData:
      return { op: type, request: getDataRequestCodec.read(reader) };
    default:
      throw new MalformedRecordError(`A multi with the operation ${opName(type)}`);
  }
}

function writeOp(writer: JuteWriter, item: MultiOp): void {
  switch (item.op) {
    case OpCode.create:
    case OpCode.create2:
    case OpCode.createContainer:
      createRequestCodec.write(writer, item.request);
      return;
    case OpCode.createTTL:
      createTtlRequestCodec.write(writer, item.request);
      return;
    case OpCode.delete:
    case OpCode.check:
      deleteRequestCodec.write(writer, item.request);
      return;
    case OpCode.setData:
      setDataRequestCodec.write(writer, item.request);
      return;
    case OpCode.getChildren:
    case OpCode.getData:
      getDataRequestCodec.write(writer, item.request);
      return;
  }
}

function readResult(type: number, reader: JuteReader): MultiResult {
  switch (type) {
    case OpCode.create:
      return { op: type, result: createResponseCodec.read(reader) };
    case OpCode.create2:
      return { op: type, result: create2ResponseCodec.read(reader) };
    case OpCode.setData:
      return { op: type, result: statResponseCodec.read(reader) };
    case OpCode.delete:
    case OpCode.check:
      return { op: type };
    case OpCode.getChildren:
      return { op: type, result: getChildrenResponseCodec.read(reader) };
    case OpCode.getData:
      return { op: type, result: getDataResponseCodec.read(reader) };
    case OpCode.error:
      return { op: type, result: errorResponseCodec.read(reader) };
    default:
      throw new MalformedRecordError(`The answer of a multi with the operation ${opName(type)}`);
  }
}

function writeResult(writer: JuteWriter, item: MultiResult): void {
  switch (item.op) {
    case OpCode.create:
      createResponseCodec.write(writer, item.result);
      return;
    case OpCode.create2:
      create2ResponseCodec.write(writer, item.result);
      return;
    case OpCode.setData:
      statResponseCodec.write(writer, item.result);
      return;
    case OpCode.delete:
    case OpCode.check:
      return;
    case OpCode.getChildren:
      getChildrenResponseCodec.write(writer, item.result);
      return;
    case OpCode.getData:
      getDataResponseCodec.write(writer, item.result);
      return;
    case OpCode.error:
      errorResponseCodec.write(writer, item.result);
      return;
  }
}
