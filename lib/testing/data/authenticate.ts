import { encode } from '../wire/codec.js';
import { ErrorCode } from '../wire/error-codes.js';
import type { JuteReader } from '../wire/jute-reader.js';
import { MalformedRecordError } from '../wire/malformed-record-error.js';
import { authPacketCodec, saslCodec } from '../wire/requests.js';
import { addId } from './access.js';
import { digestId } from './auth-schemes.js';
import type { Peer } from './peer.js';
import type { Answer } from './request-context.js';

const OK: Answer = { zxid: 0n, err: ErrorCode.OK };
const FAILED: Answer = { zxid: 0n, err: ErrorCode.AuthFailed, close: true };

/** Makes the connection somebody. Any `user:password` is right: it is compared with what access control lists name. */
export function authenticate(peer: Peer, body: JuteReader): Answer {
  const { scheme, auth } = authPacketCodec.read(body);
  // The connection has its address from the start.
  if (scheme === 'ip') return OK;
  if (scheme !== 'digest' || auth === null) return FAILED;
  addId(peer, { scheme, id: digestId(auth.toString('utf8')) });
  return OK;
}

/** As a server without SASL set up: it answers a token without a token of its own, and nobody is authenticated. */
export function answerSasl(body: JuteReader): Answer {
  if (saslCodec.read(body).token === null) throw new MalformedRecordError('A sasl request without a token');
  return { zxid: 0n, err: ErrorCode.OK, body: encode(saslCodec, { token: null }) };
}
