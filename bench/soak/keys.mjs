// A hundred thousand different keys, one after the other: nothing may be kept of a key that is not used any more.
import { HeapLog } from './heap.mjs';

export async function keys(open, count) {
  const { locks } = await open();
  const log = new HeapLog('different keys');
  for (let key = 1; key <= count; key += 1) {
    await locks.withLock(`key-${key}`, () => undefined);
    if (key % (count / 10) === 0) await log.look(key, count / 10);
  }
  return log.isFlat();
}
