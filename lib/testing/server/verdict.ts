import { shown } from '../../errors/shown.js';
import { ErrorCode, type ErrorName } from '../wire/error-codes.js';

/**
 * What becomes of the request:
 * - `'cut'`: the connection is closed before the request is applied.
 * - `'drop-answer'`: it is applied, and the connection is closed instead of an answer.
 * - `'error'`: it is not applied, and refused with ZooKeeper's MarshallingError (-5), what a server answers when it
 *   fails itself.
 * - `{ error }`: it is not applied, and refused with this error: a number but 0, or a name such as `'NoNode'`. A connect
 *   is refused as one of an expired session.
 * - `{ delayMs }`: it is applied at once, its answer comes so many ms later: 0 to 2,147,483,647, or Infinity for never.
 *   What the connection has to say after it waits too: the order of a session's answers and events is kept.
 * - `{ error, delayMs }`: it is refused so many ms later.
 */
export type Verdict =
  | 'cut'
  | 'drop-answer'
  | 'error'
  | { readonly error: number | ErrorName; readonly delayMs?: number }
  | { readonly delayMs: number; readonly error?: undefined };

/** A verdict in one shape. */
export type Ruling =
  | { readonly kind: 'cut' }
  | { readonly kind: 'drop-answer' }
  /** `error` is undefined for a request that is applied. */
  | { readonly kind: 'answer'; readonly error: number | undefined; readonly delayMs: number };

const MAX_INT32 = 0x7fff_ffff;

/** @throws {TypeError} for what is no verdict. */
export function rulingOf(verdict: Verdict): Ruling {
  const given: unknown = verdict;
  if (given === 'cut' || given === 'drop-answer') return { kind: given };
  if (given === 'error') return { kind: 'answer', error: ErrorCode.MarshallingError, delayMs: 0 };
  if (typeof given === 'object' && given !== null && ('error' in given || 'delayMs' in given)) {
    const { error, delayMs = 0 }: { error?: unknown; delayMs?: unknown } = given;
    const code = typeof error === 'string' ? codeOf(error) : error;
    if (isDelay(delayMs) && (code === undefined ? error === undefined : isErrorCode(code))) {
      return { kind: 'answer', error: code as number | undefined, delayMs };
    }
  }
  throw new TypeError(
    `A rule of intercept() returned ${shown(verdict)}; it is removed. Allowed are 'cut', 'drop-answer', 'error', ` +
      `{ error: a number but 0, or a name of ZooKeeper's }, { delayMs: an integer from 0 to ${MAX_INT32}, or ` +
      'Infinity }, both together, and undefined. A rule cannot be async.',
  );
}

const codeOf = (name: string): number | undefined =>
  Object.hasOwn(ErrorCode, name) ? ErrorCode[name as ErrorName] : undefined;

const isErrorCode = (code: unknown): boolean =>
  Number.isInteger(code) && code !== 0 && Math.abs(code as number) <= MAX_INT32;

function isDelay(ms: unknown): ms is number {
  return ms === Infinity || (Number.isInteger(ms) && (ms as number) >= 0 && (ms as number) <= MAX_INT32);
}
