/** Writes ZooKeeper's binary encoding: see {@link JuteReader} for its shape. */
export class JuteWriter {
  private bytes: Buffer;
  private length = 0;

  constructor(initialSize = 256) {
    this.bytes = Buffer.allocUnsafe(initialSize);
  }

  bool(value: boolean): void {
    const at = this.reserve(1);
    this.bytes[at] = value ? 1 : 0;
  }

  int(value: number): void {
    const at = this.reserve(4);
    this.bytes.writeInt32BE(value, at);
  }

  long(value: bigint): void {
    const at = this.reserve(8);
    this.bytes.writeBigInt64BE(value, at);
  }

  buffer(value: Uint8Array | null): void {
    if (value === null) {
      this.int(-1);
      return;
    }
    this.int(value.length);
    this.raw(value);
  }

  string(value: string | null): void {
    this.buffer(value === null ? null : encode(value));
  }

  vector<T>(items: readonly T[] | null, writeItem: (writer: JuteWriter, item: T) => void): void {
    this.int(items === null ? -1 : items.length);
    for (const item of items ?? []) writeItem(this, item);
  }

  /** Bytes that are encoded already. */
  raw(value: Uint8Array): void {
    const at = this.reserve(value.length);
    this.bytes.set(value, at);
  }

  /** What was written, as a view: nothing may be written afterwards. */
  finish(): Buffer {
    return this.bytes.subarray(0, this.length);
  }

  private reserve(size: number): number {
    const start = this.length;
    this.length += size;
    if (this.length > this.bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.length, this.bytes.length * 2));
      this.bytes.copy(larger, 0, 0, start);
      this.bytes = larger;
    }
    return start;
  }
}

const SURROGATE = /[\ud800-\udfff]/;

/** As ZooKeeper's own encoder does: UTF-8, but each half of a surrogate pair by itself, as three bytes. */
function encode(value: string): Uint8Array {
  if (!SURROGATE.test(value)) return Buffer.from(value, 'utf8');
  const bytes: number[] = [];
  for (let i = 0; i < value.length; i++) {
    const unit = value.charCodeAt(i);
    if (unit < 0x80) bytes.push(unit);
    else if (unit < 0x800) bytes.push(0xc0 | (unit >> 6), 0x80 | (unit & 0x3f));
    else bytes.push(0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f));
  }
  return Uint8Array.from(bytes);
}
