// Ten thousand callers of one process want one key at once, again and again.
import { HeapLog } from './heap.mjs';

const CALLERS = 10_000;
const ROUNDS = 10;

export async function callers(open) {
  const { locks } = await open();
  const log = new HeapLog('callers of one key');
  for (let round = 1; round <= ROUNDS; round += 1) {
    await Promise.all(Array.from({ length: CALLERS }, () => locks.withLock('crowd', () => undefined)));
    await log.look(round * CALLERS, CALLERS);
  }
  return log.isFlat();
}
