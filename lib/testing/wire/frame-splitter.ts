/** A length in front of a frame that cannot be: negative, or above the limit. */
export class FrameLengthError extends Error {
  override readonly name = 'FrameLengthError';

  constructor(
    /** The int32 as it stood there. The four-letter words are such lengths: `ruok` is 0x72756f6b. */
    readonly length: number,
    maxLength: number,
  ) {
    super(`A frame of ${length} bytes; allowed are 0 to ${maxLength}`);
  }
}

const LENGTH_BYTES = 4;
/** A chunk costs more memory than its bytes when a frame trickles in byte by byte. */
const MAX_CHUNKS = 256;

/**
 * Cuts a stream of bytes into frames: an int32 length, then that many bytes. Keeps no more than one unfinished frame
 * and the chunk that was pushed.
 */
export class FrameSplitter {
  private chunks: Buffer[] = [];
  private buffered = 0;
  private wanted = LENGTH_BYTES;
  private inBody = false;

  /** @param maxLength longest frame in bytes, without its length: ZooKeeper's `jute.maxbuffer` */
  constructor(private readonly maxLength: number) {}

  /**
   * The frames that this chunk completes, without their lengths.
   * @throws {FrameLengthError} once the frames before it are handed out; the stream is of no use afterwards
   */
  *push(chunk: Buffer): Generator<Buffer, void> {
    if (this.chunks.length === MAX_CHUNKS) this.chunks = [Buffer.concat(this.chunks)];
    this.chunks.push(chunk);
    this.buffered += chunk.length;
    while (this.buffered >= this.wanted) {
      const bytes = this.take(this.wanted);
      if (this.inBody) {
        this.expect(LENGTH_BYTES, false);
        yield bytes;
      } else {
        const length = bytes.readInt32BE(0);
        if (length < 0 || length > this.maxLength) throw new FrameLengthError(length, this.maxLength);
        this.expect(length, true);
      }
    }
  }

  private expect(bytes: number, inBody: boolean): void {
    this.wanted = bytes;
    this.inBody = inBody;
  }

  private take(length: number): Buffer {
    const all = this.chunks.length === 1 ? this.chunks[0] : undefined;
    const joined = all ?? Buffer.concat(this.chunks);
    this.chunks = [joined.subarray(length)];
    this.buffered -= length;
    return joined.subarray(0, length);
  }
}

/** The bytes as a frame, ready to be sent. Several parts are joined. */
export function frame(...parts: readonly Uint8Array[]): Buffer {
  const length = Buffer.allocUnsafe(LENGTH_BYTES);
  length.writeInt32BE(parts.reduce((sum, part) => sum + part.length, 0));
  return Buffer.concat([length, ...parts]);
}
