import type { Codec } from '../../lib/testing/wire/codec.js';
import { errorName } from '../../lib/testing/wire/error-codes.js';
import { JuteReader } from '../../lib/testing/wire/jute-reader.js';
import { opName, Xid } from '../../lib/testing/wire/op-codes.js';
import { operations } from '../../lib/testing/wire/operations.js';
import {
  connectResponseCodec,
  replyHeaderCodec,
  watchEventCodec,
  type Stat,
} from '../../lib/testing/wire/records.js';
import { fullPath } from './encoding.js';
import type { Renaming } from './renaming.js';
import type { Request } from './requests.js';

const EVENT_NAMES = ['', 'NodeCreated', 'NodeDeleted', 'NodeDataChanged', 'NodeChildrenChanged'];
const RUN_ROOT = /^r\d+$/;
const PASSWORD_BYTES = 16;
const LONGEST_TEXT = 100;

/** What a frame from the server says, in words that are the same for two servers that behave alike. */
export class Rendering {
  constructor(
    private readonly renaming: Renaming,
    private readonly root: string,
  ) {}

  connectResponse(frame: Buffer): string {
    return this.safely(frame, (reader) => {
      const { passwd, sessionId, ...rest } = connectResponseCodec.read(reader);
      const password =
        passwd?.length === PASSWORD_BYTES ? (passwd.every((byte) => byte === 0) ? 'zeros' : 'some') : 'odd';
      return `connected ${print({ ...rest, session: this.renaming.session(sessionId), password })}`;
    });
  }

  /** @param requests those that the frame may be an answer to, by xid */
  reply(frame: Buffer, requests: ReadonlyMap<number, Request>): string {
    return this.safely(frame, (reader) => {
      const { xid, zxid, err } = replyHeaderCodec.read(reader);
      if (xid === Xid.notification) {
        const { type, state, path } = watchEventCodec.read(reader);
        return `event ${EVENT_NAMES[type] ?? type} ${path}, state ${state}, zxid ${this.renaming.zxid(zxid)}`;
      }
      const request = requests.get(xid);
      const result = err === 0 ? 'ok' : errorName(err);
      const head = `answer to xid ${xid}: ${result}, zxid ${this.renaming.zxid(zxid)}`;
      return reader.remaining > 0 && request !== undefined ? `${head} ${this.body(request, reader)}` : head;
    });
  }

  private body(request: Request, reader: JuteReader): string {
    if (request.op === 'truncated') return this.body(request.request, reader);
    const op = request.op === 'raw' ? opName(request.type) : request.op;
    if (!isOperation(op)) return '';
    const value = (operations[op].response as Codec<unknown>).read(reader);
    if (value === undefined) return '';
    if (Array.isArray(value)) {
      const ops = 'ops' in request ? request.ops : [];
      return `[${value.map((item, index) => print(this.rename(item, pathOf(ops[index], this.root)))).join(', ')}]`;
    }
    return print(this.rename(value, pathOf(request, this.root)));
  }

  /** Goes through the record and renames what is to be renamed in it. */
  private rename(value: unknown, path: string | null | undefined): unknown {
    if (Buffer.isBuffer(value)) return shorten(value.toString('latin1'));
    if (Array.isArray(value)) {
      return value
        .filter((item) => path !== '/' || typeof item !== 'string' || !isOtherRoot(item, this.root))
        .map((item) => this.rename(item, path));
    }
    if (typeof value !== 'object' || value === null) return value;
    if ('czxid' in value) return this.renaming.stat(value as Stat, path);
    if ('totalNumber' in value && path === '/') return 'many';
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, this.rename(field, path)]));
  }

  /** A frame that is not what it should be is shown as it is, and so are bytes behind its end. */
  private safely(frame: Buffer, read: (reader: JuteReader) => string): string {
    const reader = new JuteReader(frame);
    try {
      const text = read(reader);
      return reader.remaining === 0 ? text : `${text} and then the bytes ${hex(reader.rest)}`;
    } catch (error) {
      return `the bytes ${hex(frame)}, which are no such answer: ${String(error)}`;
    }
  }
}

function isOperation(op: string): op is keyof typeof operations {
  return op in operations;
}

function isOtherRoot(name: string, root: string): boolean {
  return RUN_ROOT.test(name) && `/${name}` !== root;
}

function pathOf(request: Request | undefined, root: string): string | null | undefined {
  return request !== undefined && 'path' in request ? fullPath(request.path, root) : undefined;
}

function print(value: unknown): string {
  return JSON.stringify(value, (_name, field: unknown) =>
    typeof field === 'bigint' ? String(field) : field,
  );
}

function shorten(text: string): string {
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}… (${text.length})` : text;
}

function hex(bytes: Buffer): string {
  return shorten(bytes.toString('hex'));
}
