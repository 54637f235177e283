// Two sessions hand one lock to and fro: in each cycle one of them waits by its watches until the other one releases.
import { HeapLog } from './heap.mjs';

const KEY = 'soak';
const TITLE = 'cycles of two sessions on one key';

export async function handover(open, cycles) {
  let [holder, waiter] = [new Side(await open()), new Side(await open())];
  const log = new HeapLog(TITLE);
  let lock = await holder.client.locks.acquire(KEY);
  for (let cycle = 1; cycle <= cycles; cycle += 1) {
    const [next] = await Promise.all([
      waiter.client.locks.acquire(KEY),
      waiter.watchesNodes(2).then(() => lock.release()), // its own node and the holder's
    ]);
    lock = next;
    [holder, waiter] = [waiter, holder];
    if (cycle % (cycles / 10) === 0) await log.look(cycle, cycles / 10);
  }
  await lock.release();
  return log.isFlat();
}

/** One of the two, and what its session does with watches. */
class Side {
  #armed = 0;
  #onArm = () => undefined;

  constructor(client) {
    this.client = client;
    const { watches } = client.connection.connectedSession;
    const arm = watches.arm.bind(watches);
    watches.arm = (path) => {
      arm(path);
      this.#armed += 1;
      this.#onArm();
    };
  }

  /** Resolves when so many watches were set from now on. */
  async watchesNodes(count) {
    this.#armed = 0;
    await new Promise((resolve) => (this.#onArm = () => this.#armed === count && resolve()));
  }
}
