import { checkOptions, integers, type OptionRules } from '../../errors/check-options.js';
import { LockConfigError } from '../../errors/lock-config.error.js';
import { shown } from '../../errors/shown.js';
import type { JuteReader } from '../wire/jute-reader.js';
import { MalformedRecordError } from '../wire/malformed-record-error.js';
import { OpCode, opName, type OpName } from '../wire/op-codes.js';
import { rulingOf, type Ruling, type Verdict } from './verdict.js';

/**
 * What a client asks for, as in ZooKeeper's OpCode, and `connect`. An operation that ZooKeeper does not know is a text of
 * digits, its number.
 */
export type InterceptedOperation = 'connect' | OpName | `${number}`;

/** What a rule is asked about. */
export interface InterceptedRequest {
  /** `create`, `getData`, …; also `connect`, `ping` and `closeSession`. */
  readonly op: InterceptedOperation;
  /** Of operations on one path. */
  readonly path?: string;
  /** Hex, as in logs: `0x1000…`. `0x0` for a connect that asks for a new session. */
  readonly session: string;
  /** Of the last transaction before this request, in hex. */
  readonly zxid: string;
  /** The client's number of the request; 0 for a connect. */
  readonly xid: number;
}

/** Undefined: the request is served as usual, or the next rule is asked. */
// A rule may be a function that only looks, and returns nothing.
// eslint-disable-next-line @typescript-eslint/no-invalid-void-type
export type Rule = (request: InterceptedRequest) => Verdict | undefined | void;

/** Options of `intercept`. */
export interface InterceptOptions {
  /** After so many verdicts the rule is removed: 1 to 2,147,483,647. Default: it stays. */
  times?: number;
}

const OPTIONS: OptionRules<InterceptOptions> = { times: integers(1, 0x7fff_ffff) };

interface Entry {
  readonly rule: Rule;
  /** How many verdicts are left. */
  left: number;
}

/** The rules of a server. The first that has a verdict decides. */
export class Rules {
  private readonly entries = new Set<Entry>();
  /** Sessions that no rule is asked about. */
  private readonly exempt = new Set<string>();

  get isEmpty(): boolean {
    return this.entries.size === 0;
  }

  /**
   * Hands back what removes it.
   * @throws {LockConfigError} for what is no function, and for options that do not exist or are out of range.
   */
  add(rule: Rule, options: InterceptOptions = {}): () => void {
    if (typeof rule !== 'function') {
      throw new LockConfigError(
        `intercept(${shown(rule)}): the rule has to be a function, such as ({ op }) => (op === 'create' ? 'cut' : undefined).`,
      );
    }
    checkOptions(options, OPTIONS, 'intercept');
    const entry = { rule, left: options.times ?? Infinity };
    this.entries.add(entry);
    return () => {
      this.entries.delete(entry);
    };
  }

  /** No rule is asked about the requests of this session. */
  spare(session: string): void {
    this.exempt.add(session);
  }

  clear(): void {
    this.entries.clear();
  }

  /**
   * A rule that throws or has no proper verdict is removed: it is told of once, not at each try of the client.
   * @throws {TypeError} for something that is no verdict, and what a rule throws.
   */
  judge(request: InterceptedRequest): Ruling | undefined {
    if (this.exempt.has(request.session)) return undefined;
    for (const entry of this.entries) {
      try {
        const verdict = entry.rule(request);
        if (verdict === undefined) continue;
        const ruling = rulingOf(verdict);
        entry.left -= 1;
        if (entry.left <= 0) this.entries.delete(entry);
        return ruling;
      } catch (error) {
        this.entries.delete(entry);
        throw error;
      }
    }
    return undefined;
  }
}

/** Operations whose record does not begin with a path. */
const PATHLESS = new Set<number>([
  OpCode.ping,
  OpCode.multi,
  OpCode.multiRead,
  OpCode.auth,
  OpCode.setWatches,
  OpCode.setWatches2,
  OpCode.sasl,
  OpCode.whoAmI,
  OpCode.createSession,
  OpCode.closeSession,
]);

/** @param body what stands behind the header; it is read from. */
export function describeRequest(op: number, body: JuteReader): Pick<InterceptedRequest, 'op' | 'path'> {
  const path = PATHLESS.has(op) ? null : firstString(body);
  return { op: opName(op) as InterceptedOperation, ...(path === null ? {} : { path }) };
}

/** Null when there is none: what is wrong with the record shows when it is read as a whole. */
function firstString(body: JuteReader): string | null {
  try {
    return body.string();
  } catch (error) {
    if (error instanceof MalformedRecordError) return null;
    throw error;
  }
}
