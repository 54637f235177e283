// Holds a lock; asks it, in the first statement after a message or a stop, whether it is still held.
import { LockClient } from '../lock-client.js';

const [connectString = '', key = '', sessionTimeoutMs = '2000'] = process.argv.slice(2);
const client = await LockClient.open(connectString, { sessionTimeoutMs: Number(sessionTimeoutMs) });
const lock = await client.locks.acquire(key);
process.send?.({ token: lock.fencingToken, timeoutMs: client.connection.info().negotiatedTimeoutMs });

let told = 0;
lock.signal.addEventListener('abort', () => (told = performance.now()));

// Spins through stops of the process without giving the event loop a turn: whatever comes after a stop is a first statement.
process.on('message', () => {
  let last = performance.now();
  for (;;) {
    const at = performance.now();
    if (at - last > 1_000) break; // the process was stopped here
    last = at;
  }
  const held = lock.isHeld();
  const aborted = lock.signal.aborted;
  setImmediate(() =>
    process.send?.({
      held,
      aborted,
      told: told > 0,
      reason: String((lock.signal.reason as { reason?: string } | undefined)?.reason),
    }),
  );
});
