import { isExclusive } from '../checks/grants.js';
import type { Share } from '../history.js';
import type { ChaosKey } from '../keys.js';
import type { Random } from '../random.js';

/** What one operation does. Durations are in ms. */
export interface OperationPlan {
  key: string;
  share: Share;
  style: 'acquire' | 'withLock' | 'tryAcquire';
  waitMs: number;
  /** Aborts the call's signal so long after its start. */
  cancelAfterMs?: number;
  /** How long the critical section lasts. */
  sectionMs: number;
  /** Pause between two steps of the section; each step asks `isHeld()`. */
  stepMs: number;
  /** Part of the steps that write into the register: 0 unless the share excludes all others, so that tokens have an order. */
  writes: number;
  /** Writes without asking first, also after a loss: the register has to refuse it. */
  careless?: boolean;
  /** Reads the queue at every step, as a curious monitor would. */
  reads?: boolean;
  /** Asks `verify()` in the middle. */
  verifies?: boolean;
  /** Queues with a node of its own, whoever of its process has one already. Permits always do. */
  ownNode?: boolean;
  /** Blocks the event loop so long, once, after the first step. */
  blockMs?: number;
  /** After the end of all faults: this one has to be granted. */
  final?: boolean;
}

/** A plan for the next operation of a client; the last key is used seldom, so that its parent node is reaped now and then. */
export function randomPlan(
  random: Random,
  keys: readonly ChaosKey[],
  sessionTimeoutMs: number,
): OperationPlan {
  const seldom = random.chance(0.04);
  const { name, shares } = seldom ? keys.at(-1)! : random.pick(keys.slice(0, -1));
  const share = random.pick(shares);
  const style = random.pick(['acquire', 'acquire', 'withLock', 'withLock', 'tryAcquire'] as const);
  const length = random.next();
  return {
    key: name,
    share,
    style,
    waitMs: style === 'tryAcquire' ? 0 : random.pick([0, 300, 1_500, 5_000, 15_000]),
    ...(random.chance(0.15) && { cancelAfterMs: random.between(0, 800) }),
    sectionMs:
      length < 0.7
        ? random.between(0, 10)
        : length < 0.94
          ? random.between(10, 150)
          : random.between(150, 3 * sessionTimeoutMs),
    stepMs: random.pick([0, 2, 5, 10]),
    writes: isExclusive({ share }) ? random.pick([0.1, 0.5, 1]) : 0,
    careless: random.chance(0.3),
    reads: random.chance(0.2),
    verifies: random.chance(0.1),
    ownNode: share.mode !== 'permit' && random.chance(0.3),
    ...(random.chance(0.01) && {
      blockMs: random.between(Math.round(sessionTimeoutMs / 4), Math.round(1.5 * sessionTimeoutMs)),
    }),
  };
}
