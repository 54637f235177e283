import { isObservable } from 'rxjs';
import { LockConfigError } from '../errors/lock-config.error.js';
import type { LockScope } from '../recipes/lock-context.js';
import { rejectAtLoss, runInScope, throwIfLost } from '../recipes/run-in-scope.js';
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
  switch (plan.onLost) {
    case 'throw':
      return runInScope(entry.scope, body);
    case 'abort':
      return rejectAtLoss(entry.scope.lock, runInScope(entry.scope, body));
    case 'ignore':
      try {
        return await entry.scope.run(body);
      } finally {
        void entry.scope.end();
      }
  }
}

/** An async generator: locked from the first `next()` until it has finished, failed or been left. */
export async function* runGenerator({ plan, proceed, enter }: LockedRun): AsyncGenerator<unknown, unknown> {
  const entry = await enter();
  if (entry.way === 'unlocked') return yield* proceed() as AsyncGenerator<unknown, unknown>;
  if (entry.way === 'busy') return yield* (entry.instead ?? []) as AsyncGenerator<unknown, unknown>;
  const { scope } = entry;
  const steps = new ScopedSteps(plan, scope, proceed);
  let own: unknown;
  try {
    return yield* steps;
  } catch (error) {
    own = error;
    throw error;
  } finally {
    try {
      checkLoss(plan, scope, own);
    } finally {
      const ended = steps.ended().then(() => void scope.end());
      if (plan.onLost !== 'abort') await ended;
    }
  }
}

/** A generator again, each of its steps in the context of the lock; with `onLost: 'abort'` a loss ends a step at once. */
class ScopedSteps implements AsyncGenerator<unknown, unknown> {
  private readonly inner: AsyncGenerator<unknown, unknown>;
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly plan: LockPlan,
    private readonly scope: LockScope,
    proceed: () => unknown,
  ) {
    this.inner = scope.run(proceed) as AsyncGenerator<unknown, unknown>;
  }

  next(value?: unknown): Promise<IteratorResult<unknown, unknown>> {
    return this.step(() => this.inner.next(value));
  }

  return(value?: unknown): Promise<IteratorResult<unknown, unknown>> {
    return this.step(() => this.inner.return(value));
  }

  throw(error: unknown): Promise<IteratorResult<unknown, unknown>> {
    return this.step(() => this.inner.throw(error));
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  /** Resolves when the generator has really ended, its clean-up included. Never rejects. */
  async ended(): Promise<void> {
    await this.last.catch(() => undefined);
    await this.scope.run(() => this.inner.return(undefined)).catch(() => undefined);
  }

  private step<T>(take: () => Promise<T>): Promise<T> {
    const taken = this.scope.run(take);
    this.last = taken;
    return this.plan.onLost === 'abort' ? rejectAtLoss(this.scope.lock, taken) : taken;
  }
}

/** @throws LockLostError when the lock was lost and the user does not ignore that. */
export function checkLoss(plan: LockPlan, scope: LockScope, own?: unknown): void {
  if (plan.onLost !== 'ignore') throwIfLost(scope.lock, own);
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
