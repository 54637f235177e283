import { LockKeyError } from '../errors/lock-key.error.js';
import * as messages from './locking.messages.js';

/** The longest name of a node that a key may become, in bytes. */
export const MAX_KEY_BYTES = 1_024;

// What the name of a node cannot carry (control characters, surrogate pairs, private use, specials), the separator of
// paths, and the sign that starts an encoded byte.
const UNSAFE = /[%/\u0000-\u001f\u007f-\u009f\u{d800}-\u{f8ff}\u{fff0}-\u{10ffff}]/gu;
/** Printable ASCII without the two: stays as it is. */
const PLAIN = /^[ -$&-.0-~]*$/;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Text between placeholders. Each unsafe character becomes its UTF-8 bytes, `%` and upper-case hex. */
export function encodeText(text: string): string {
  if (PLAIN.test(text)) return text;
  if (LONE_SURROGATE.test(text)) throw new LockKeyError(messages.keyLoneSurrogate(text), { key: text });
  return text.replace(UNSAFE, encodeURIComponent);
}

/** A value in a key: `:` is encoded too, so that no value can pass for two. */
export const encodeValue = (text: string): string => encodeText(text).replaceAll(':', '%3A');

/** The last step of every key: `.` and `..` are no names of nodes, and a name has its length. */
export function toNodeName(text: string, encoded: string): string {
  if (encoded === '') throw new LockKeyError(messages.keyEmpty());
  const name = encoded === '.' || encoded === '..' ? encoded.replaceAll('.', '%2E') : encoded;
  const bytes = Buffer.byteLength(name);
  if (bytes > MAX_KEY_BYTES) {
    throw new LockKeyError(messages.keyTooLong(text, bytes, MAX_KEY_BYTES), { key: text });
  }
  return name;
}

/** One-to-one: `decodeURIComponent(encodeKey(text)) === text`, and the result is one level of a path. */
export const encodeKey = (text: string): string => toNodeName(text, encodeText(text));
