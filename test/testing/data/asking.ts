import { Database, type DatabaseOptions } from '../../../lib/testing/data/database.js';
import type { Peer } from '../../../lib/testing/data/peer.js';
import { decode, encode, type Codec, type Decoded } from '../../../lib/testing/wire/codec.js';
import { errorName } from '../../../lib/testing/wire/error-codes.js';
import { JuteReader } from '../../../lib/testing/wire/jute-reader.js';
import { OpCode } from '../../../lib/testing/wire/op-codes.js';
import { operations } from '../../../lib/testing/wire/operations.js';
import type { WatchEvent } from '../../../lib/testing/wire/records.js';

type Operations = typeof operations;
type Op = keyof Operations;
type Result<O extends Op> = Decoded<Operations[O]['response']>;

export const WORLD = [{ perms: 31, id: { scheme: 'world', id: 'anyone' } }];
const SESSION = 0x10n;

/** A database with one session, asked through the codec as a server does it. */
export class Asking {
  readonly events: WatchEvent[] = [];
  readonly database: Database;
  readonly peer: Peer;
  now = 1_000_000;

  constructor(options: Partial<DatabaseOptions> = {}) {
    this.database = new Database({ now: () => this.now, firstZxid: 1n, ...options });
    this.database.openSession(SESSION, 10_000);
    this.peer = {
      sessionId: SESSION,
      ids: [{ scheme: 'ip', id: '127.0.0.1' }],
      notify: (event) => this.events.push(event),
    };
  }

  /** The record that is answered; an error's name where one is. */
  ask<O extends Op>(op: O, request: Decoded<Operations[O]['request']>): Result<O> | string {
    const body = encode(operations[op].request as Codec<unknown>, request);
    const answer = this.database.process(this.peer, OpCode[op], new JuteReader(body));
    if (answer.err !== 0) return errorName(answer.err);
    return decode(operations[op].response as unknown as Codec<Result<O>>, answer.body ?? Buffer.alloc(0));
  }

  /** The path that was made, or the error's name. */
  create(path: string, flags = 0): string {
    const answer = this.ask('create', { path, data: null, acl: WORLD, flags });
    return typeof answer === 'string' ? answer : answer.path;
  }

  children(path: string): string[] {
    const answer = this.ask('getChildren', { path, watch: false });
    return typeof answer === 'string' ? [answer] : answer.children;
  }
}
