import { encode } from '../../lib/testing/wire/codec.js';
import { frame } from '../../lib/testing/wire/frame-splitter.js';
import { OpCode } from '../../lib/testing/wire/op-codes.js';
import { operations } from '../../lib/testing/wire/operations.js';
import {
  connectRequestCodec,
  requestHeaderCodec,
  type ConnectRequest,
} from '../../lib/testing/wire/records.js';
import type { BadFrame, Greeting } from './steps.js';

export const TIMEOUT_MS = 30_000;
/** ZooKeeper's limit for a frame, `jute.maxbuffer`. */
const LONGEST = 0xfffff;
const PASSWORD_BYTES = 16;

/** A connect request for a new session, as a client writes it, but for what is given. */
export function connectRequest(given: Partial<ConnectRequest> = {}): Buffer {
  return encode(connectRequestCodec, {
    protocolVersion: 0,
    lastZxidSeen: 0n,
    timeOut: TIMEOUT_MS,
    sessionId: 0n,
    passwd: Buffer.alloc(PASSWORD_BYTES),
    readOnly: false,
    ...given,
  });
}

export function badFrame(kind: BadFrame): Buffer {
  switch (kind) {
    case 'empty':
      return length(0);
    case 'half a header':
      return frame(Buffer.from([0, 0, 0, 1]));
    case 'oversized':
      return length(LONGEST + 1);
    case 'negative length':
      return length(-2);
  }
}

/** The first bytes on a connection. */
export function greeting(kind: Greeting): Buffer {
  switch (kind) {
    case 'an empty frame':
      return length(0);
    case 'a frame too long':
      return length(LONGEST + 1);
    case 'half a connect request':
      return frame(connectRequest().subarray(0, 12));
    case 'a frame of zeros':
      return frame(Buffer.alloc(100));
    case 'a connect request without password':
      return frame(connectRequest({ passwd: null }));
    case 'a connect request with a long password':
      return frame(connectRequest({ passwd: Buffer.alloc(1_000) }));
    case 'a connect request with a negative session':
      return frame(connectRequest({ sessionId: -1n }));
    case 'a connect request of another protocol version':
      return frame(connectRequest({ protocolVersion: 5 }));
  }
}

/** A read with so many bytes behind it that it is as long as allowed. */
export function longestRequest(xid: number, path: string): Buffer {
  const request = Buffer.concat([
    encode(requestHeaderCodec, { xid, type: OpCode.getData }),
    encode(operations.getData.request, { path, watch: false }),
  ]);
  return Buffer.concat([request, Buffer.alloc(LONGEST - request.length)]);
}

function length(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
