import { MalformedRecordError } from './malformed-record-error.js';

const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Reads ZooKeeper's binary encoding ("jute"): big-endian numbers, and strings, buffers and vectors behind an int32
 * length, where -1 means null. Every method throws {@link MalformedRecordError} when the bytes run out.
 */
export class JuteReader {
  constructor(
    private readonly bytes: Buffer,
    private offset = 0,
  ) {}

  get remaining(): number {
    return this.bytes.length - this.offset;
  }

  /** Everything that was not read yet, as a view. */
  get rest(): Buffer {
    return this.bytes.subarray(this.offset);
  }

  bool(): boolean {
    return this.bytes[this.advance(1, 'boolean')] !== 0;
  }

  int(): number {
    return this.bytes.readInt32BE(this.advance(4, 'int'));
  }

  long(): bigint {
    return this.bytes.readBigInt64BE(this.advance(8, 'long'));
  }

  /** A copy: what is kept must not keep the whole frame in memory. */
  buffer(): Buffer | null {
    const length = this.int();
    if (length === -1) return null;
    const start = this.advance(length, 'buffer');
    return Buffer.from(this.bytes.subarray(start, start + length));
  }

  string(): string | null {
    const length = this.int();
    if (length === -1) return null;
    const start = this.advance(length, 'string');
    return decodeUtf8(this.bytes.subarray(start, start + length));
  }

  vector<T>(readItem: (reader: JuteReader) => T): T[] | null {
    const length = this.int();
    if (length === -1) return null;
    const items: T[] = [];
    for (let i = 0; i < length; i++) items.push(readItem(this));
    return items;
  }

  /** Steps over `length` bytes and hands back where they begin. */
  private advance(length: number, what: string): number {
    if (length < 0 || length > this.remaining) {
      throw new MalformedRecordError(
        `A ${what} of ${length} bytes at offset ${this.offset}, where ${this.remaining} bytes are left`,
      );
    }
    const start = this.offset;
    this.offset += length;
    return start;
  }
}

/** Half of a surrogate pair as UTF-8 would have it, in bytes. */
const SURROGATE = /\xed[\xa0-\xbf][\x80-\xbf]/;

/** As Java decodes it: half of a surrogate pair becomes one replacement character, not three. */
function decodeUtf8(bytes: Buffer): string {
  if (!bytes.includes(0xed)) return UTF8.decode(bytes);
  const parts = bytes.toString('latin1').split(SURROGATE);
  return parts.map((part) => UTF8.decode(Buffer.from(part, 'latin1'))).join('\ufffd');
}
