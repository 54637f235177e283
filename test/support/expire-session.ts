import { connect } from 'node:net';
import {
  closeSessionFrame,
  connectFrame,
  FrameSplitter,
  readSession,
  type SessionCredentials,
} from './proxy/zk-wire.js';

const TIMEOUT_MS = 10_000;
/** A server that is silent for so long may have lost the request to a race with the owner: ask again. */
const SILENCE_MS = 1_000;

/**
 * Ends a session on the server, as if it had expired: its connection is closed, and its owner learns of the end when it
 * reconnects. The owner may be quicker to reconnect and keep the session, so this tries until it is done.
 * @throws {Error} when the server does not know the session, or after 10 s
 */
export async function expireSession({ port }: { port: number }, session: SessionCredentials): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  for (let attempt = 1; performance.now() < deadline; attempt++) {
    const outcome = await tryToEnd(port, session);

    if (outcome === 'ended' || (outcome === 'unknown' && attempt > 1)) return;
    if (outcome === 'unknown')
      throw new Error(`The server on port ${port} knows no session 0x${session.sessionId}.`);
  }
  throw new Error(
    `Session 0x${session.sessionId} on port ${port} could not be ended within ${TIMEOUT_MS} ms.`,
  );
}

/** `cut-off`: the owner took the session back; whether it has been ended will show. */
type Outcome = 'ended' | 'unknown' | 'cut-off';

function tryToEnd(port: number, session: SessionCredentials): Promise<Outcome> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, timeout: SILENCE_MS });
    const splitter = new FrameSplitter();
    let greeted = false;
    const settle = (outcome: Outcome) => {
      resolve(outcome);
      socket.destroy();
    };
    // Both requests in one go, to be quicker than the owner.
    socket.write(Buffer.concat([connectFrame(session, TIMEOUT_MS), closeSessionFrame(1)]));
    socket.on('data', (chunk) => {
      for (const frame of splitter.push(chunk)) {
        if (greeted) settle('ended');
        else if (readSession(frame).sessionId === '0') settle('unknown');
        greeted = true;
      }
    });
    socket.on('timeout', () => settle('cut-off'));
    socket.on('error', () => undefined); // a 'close' follows
    socket.on('close', () => settle('cut-off'));
  });
}
