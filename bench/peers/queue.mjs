// The limit of any library for callers of one process: they queue in memory, and nobody else is asked.
import { held } from './held.mjs';

export function peer() {
  return {
    async open() {
      const last = new Map();
      const acquire = async (key) => {
        const before = last.get(key);
        let release;
        last.set(key, new Promise((resolve) => (release = resolve)));
        await before;
        return release;
      };
      return { withLock: held(acquire, (release) => release()), close: () => undefined };
    },
  };
}
