import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';

export interface WaitOptions {
  /** What is waited for, for the error: "3 children under /locks/a". */
  what?: string | (() => string);
  /** Longest wait in ms. Default 15,000. */
  timeoutMs?: number | undefined;
  /** Time between two looks in ms. Default 20. */
  everyMs?: number;
}

type Falsy = false | null | undefined | 0 | '';

/**
 * Looks again and again until `condition` gives something truthy, and hands that back.
 * @throws {Error} after `timeoutMs`, saying what was waited for and what the last look gave or threw
 */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  { what = condition.toString(), timeoutMs = 15_000, everyMs = 20 }: WaitOptions = {},
): Promise<Exclude<T, Falsy>> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const seen = await look(condition);
    if (seen.value) return seen.value as Exclude<T, Falsy>;
    if (performance.now() > deadline) {
      const last = 'error' in seen ? `threw ${inspect(seen.error)}` : `gave ${inspect(seen.value)}`;
      throw new Error(
        `Waited ${timeoutMs} ms in vain for ${typeof what === 'string' ? what : what()}: the last look ${last}`,
        {
          cause: seen.error,
        },
      );
    }
    await sleep(everyMs);
  }
}

async function look<T>(condition: () => T | Promise<T>): Promise<{ value?: T; error?: unknown }> {
  try {
    return { value: await condition() };
  } catch (error) {
    return { error };
  }
}
