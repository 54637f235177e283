import { isObservable } from 'rxjs';
import { LockConfigError } from '../errors/lock-config.error.js';
import type { LockScope } from '../recipes/lock-context.js';
import { runInScope, throwIfLost } from '../recipes/run-in-scope.js';
import type { LockPlan } from './lock-plan.js';
import * as messages from './locking.messages.js';

/** How a call may go on. */
export type Entry =
  | { readonly way: 'locked'; readonly scope: LockScope }
  /** The user's `condition` says that this call needs no lock. */
  | { readonly way: 'unlocked' }
  /** The lock is busy and the user wrote what to do: `instead` is what takes the result's place. */
  | { readonly way: 'busy'; readonly instead: unknown };

/** One call under a plan. Its keys are computed already: `enter` may be called later, when the call really starts. */
export interface LockedRun {
  readonly plan: LockPlan;
  /** Runs the method itself. */
  readonly proceed: () => unknown;
  /** Waits for the lock; gives up when `cancel` aborts. */
  readonly enter: (cancel?: AbortSignal) => Promise<Entry>;
}

/** A method that returns a Promise: locked until it settles. */
export async function runPromise({ plan, proceed, enter }: LockedRun): Promise<unknown> {
  const entry = await enter();
  if (entry.way === 'unlocked') return proceed();
  if (entry.way === 'busy') return entry.instead;
  const body = async (): Promise<unknown> => refuseLazy(plan, await refuseLazy(plan, proceed()));
  if (plan.onLost === 'throw') return runInScope(entry.scope, body);
  try {
    return await entry.scope.run(body);
  } finally {
    await entry.scope.end();
  }
}

/** An async generator: locked from the first `next()` until it has finished, failed or been left. */
export async function* runGenerator({ plan, proceed, enter }: LockedRun): AsyncGenerator<unknown, unknown> {
  const entry = await enter();
  if (entry.way === 'unlocked') return yield* proceed() as AsyncGenerator<unknown, unknown>;
  if (entry.way === 'busy') return yield* (entry.instead ?? []) as AsyncGenerator<unknown, unknown>;
  const { scope } = entry;
  let own: unknown;
  try {
    return yield* stepsInScope(scope, proceed);
  } catch (error) {
    own = error;
    throw error;
  } finally {
    try {
      checkLoss(plan, scope, own);
    } finally {
      await scope.end();
    }
  }
}

/** The generator again, each of its steps in the context of the lock. */
function stepsInScope(scope: LockScope, proceed: () => unknown): AsyncGenerator<unknown, unknown> {
  const inner = scope.run(proceed) as AsyncGenerator<unknown, unknown>;
  return {
    next: (value) => scope.run(() => inner.next(value)),
    return: (value) => scope.run(() => inner.return(value)),
    throw: (error) => scope.run(() => inner.throw(error)),
    [Symbol.asyncIterator]() {
      return this;
    },
  } as AsyncGenerator<unknown, unknown>;
}

/** @throws LockLostError when the lock was lost and the user does not ignore that. */
export function checkLoss(plan: LockPlan, scope: LockScope, own?: unknown): void {
  if (plan.onLost === 'throw') throwIfLost(scope.lock, own);
}

/** What starts only when somebody asks for it would run after the lock is gone. */
function refuseLazy<T>(plan: LockPlan, result: T): T {
  if (isObservable(result)) throw new LockConfigError(messages.ranUnlocked(plan.site, 'an Observable'));
  if (
    typeof result === 'object' &&
    result !== null &&
    Symbol.asyncIterator in result &&
    !('pipe' in result)
  ) {
    throw new LockConfigError(messages.ranUnlocked(plan.site, 'an async iterable'));
  }
  return result;
}
