import type { ReplyHeader } from '../wire/records.js';

const HEADER_BYTES = 16;

/** An answer or an event, ready to be sent: length, header, and the record behind it. */
export function replyFrame({ xid, zxid, err }: ReplyHeader, body?: Buffer): Buffer {
  const length = HEADER_BYTES + (body?.length ?? 0);
  const bytes = Buffer.allocUnsafe(4 + length);
  bytes.writeInt32BE(length, 0);
  bytes.writeInt32BE(xid, 4);
  bytes.writeBigInt64BE(zxid, 8);
  bytes.writeInt32BE(err, 16);
  body?.copy(bytes, 4 + HEADER_BYTES);
  return bytes;
}
