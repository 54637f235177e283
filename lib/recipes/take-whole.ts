import { onAbort } from '../session/on-abort.js';
import type { AnyHold } from './any-hold.js';
import type { Attempt } from './attempt.js';

/** One of several holds that count only together. */
export interface PartOfWhole {
  readonly hold: AnyHold;
  /** Gives it back at once. */
  abandon(): void;
}

/** What is known while a whole is taken. */
export interface Taking {
  /** Ends when something it stands on is lost; all its parts are taken under it. */
  readonly attempt: Attempt;
  /** To be told of every part that was granted. */
  readonly taken: (part: PartOfWhole) => void;
  /** To be told of a hold that is needed only while the parts are taken. */
  readonly standsOn: (hold: AnyHold) => void;
}

/**
 * Takes several holds, all or nothing. When one is lost while the others are waited for, all of it begins again, within
 * the one attempt: waiting on would be in vain, and the rest out of order.
 */
export async function takeWhole<T>(attempt: Attempt, take: (taking: Taking) => Promise<T>): Promise<T> {
  for (;;) {
    const outcome = await attempt.part((part) => takeOnce(part, take));
    if (outcome !== undefined) return outcome.whole;
  }
}

/** Undefined when a part was lost. */
async function takeOnce<T>(
  attempt: Attempt,
  take: (taking: Taking) => Promise<T>,
): Promise<{ whole: T } | undefined> {
  const parts: PartOfWhole[] = [];
  const forget: (() => void)[] = [];
  const standsOn = ({ signal }: AnyHold): void => {
    forget.push(onAbort(signal, () => attempt.end('lost')));
  };
  const taken = (part: PartOfWhole): void => {
    parts.push(part);
    standsOn(part.hold);
  };
  try {
    const whole = await take({ attempt, taken, standsOn });
    for (const { hold } of parts) hold.isHeld(); // by the clock it may be lost already: then its signal aborts
    attempt.throwIfOver();
    return { whole };
  } catch (error) {
    for (const part of parts.reverse()) part.abandon(); // nobody waits for the confirmation
    if (attempt.ending !== 'lost') throw error;
    return undefined;
  } finally {
    for (const each of forget) each();
  }
}
