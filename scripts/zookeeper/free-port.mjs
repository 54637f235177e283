// A free port below the range that the system gives to outgoing connections, so that nobody takes it while a server
// that used it is stopped, and no client that reconnects to it can meet itself.
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

const FIRST = 15_000;
const LAST = 31_999;

/** A port of 127.0.0.1 on which nobody listens now. */
export async function freePort() {
  for (;;) {
    const port = randomInt(FIRST, LAST + 1);
    if (await isFree(port)) return port;
  }
}

function isFree(port) {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
