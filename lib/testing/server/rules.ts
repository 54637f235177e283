import { inspect } from 'node:util';
import { ErrorCode, type ErrorName } from '../wire/error-codes.js';
import type { JuteReader } from '../wire/jute-reader.js';
import { MalformedRecordError } from '../wire/malformed-record-error.js';
import { OpCode, opName } from '../wire/op-codes.js';

/** What a rule is asked about. */
export interface InterceptedRequest {
  /** `create`, `getData`, … as in ZooKeeper's OpCode; also `connect`, `ping` and `closeSession`. */
  readonly op: string;
  /** Of operations on one path. */
  readonly path?: string;
  /** Hex, as in logs: `0x1000…`. `0x0` for a connect that asks for a new session. */
  readonly session: string;
  /** Of the last transaction before this request, in hex. */
  readonly zxid: string;
  /** The client's number of the request; 0 for a connect. */
  readonly xid: number;
}

/**
 * What becomes of the request:
 * - `'cut'`: the connection is closed before the request is applied.
 * - `'drop-answer'`: it is applied, and the connection is closed instead of an answer.
 * - `'error'`: it is not applied, and refused with ZooKeeper's MarshallingError (-5), what a server answers when it
 *   fails itself.
 * - `{ error }`: it is not applied, and refused with this error: a number, or a name such as `'NoNode'`. A connect is
 *   refused as one of an expired session.
 * - `{ delayMs }`: it is applied at once, its answer comes so many ms later. What the connection has to say after it
 *   waits too: the order of a session's answers and events is kept.
 */
export type Verdict =
  'cut' | 'drop-answer' | 'error' | { readonly error: number | ErrorName } | { readonly delayMs: number };

/** Undefined: the request is served as usual, or the next rule is asked. */
// A rule may be a function that only looks, and returns nothing.
// eslint-disable-next-line @typescript-eslint/no-invalid-void-type
export type Rule = (request: InterceptedRequest) => Verdict | undefined | void;

/** A verdict in one shape. */
export type Ruling =
  | { readonly kind: 'cut' }
  | { readonly kind: 'drop-answer' }
  | { readonly kind: 'error'; readonly code: number }
  | { readonly kind: 'delay'; readonly ms: number };

/** The rules of a server. The first that has a verdict decides. */
export class Rules {
  private readonly rules = new Set<{ readonly rule: Rule }>();

  get isEmpty(): boolean {
    return this.rules.size === 0;
  }

  /** Hands back what removes it. */
  add(rule: Rule): () => void {
    const entry = { rule };
    this.rules.add(entry);
    return () => {
      this.rules.delete(entry);
    };
  }

  /** @throws {TypeError} for something that is no verdict, and what a rule throws. */
  judge(request: InterceptedRequest): Ruling | undefined {
    for (const { rule } of this.rules) {
      const verdict = rule(request);
      if (verdict !== undefined) return rulingOf(verdict);
    }
    return undefined;
  }
}

function rulingOf(verdict: Verdict): Ruling {
  if (verdict === 'cut' || verdict === 'drop-answer') return { kind: verdict };
  if (verdict === 'error') return { kind: 'error', code: ErrorCode.MarshallingError };
  if (typeof verdict === 'object') {
    if ('delayMs' in verdict && verdict.delayMs >= 0) return { kind: 'delay', ms: verdict.delayMs };
    if ('error' in verdict) {
      const code = typeof verdict.error === 'number' ? verdict.error : ErrorCode[verdict.error];
      if (Number.isInteger(code) && code !== 0) return { kind: 'error', code };
    }
  }
  throw new TypeError(
    `A rule of intercept() returned ${inspect(verdict)}. Allowed are 'cut', 'drop-answer', 'error', ` +
      `{ error: number or name }, { delayMs: 0 or more } and undefined.`,
  );
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
  return { op: opName(op), ...(path === null ? {} : { path }) };
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
