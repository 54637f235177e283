import { defer, EMPTY, finalize, from, isObservable, Observable, Subject, takeUntil } from 'rxjs';
import type { ObservableInput, Subscriber } from 'rxjs';
import type { LockScope } from '../recipes/lock-context.js';
import { checkLoss, type LockedRun } from './locked-run.js';

/** How the Observable of a locked method differs from that of a locked handler. */
export interface ObservableManner {
  /**
   * Whether unsubscribing waits for a first sign of life before it ends the source and the lock. A handler that
   * returns a Promise goes on after its subscriber has left: its lock must not go before it.
   */
  readonly patient: boolean;
  /** What takes the place of the result when the lock is busy. */
  readonly instead: (value: unknown) => ObservableInput<unknown>;
}

export const methodManner: ObservableManner = {
  patient: false,
  instead: (value) => (value === undefined ? EMPTY : (value as ObservableInput<unknown>)),
};

/** A handler always has to answer something. */
export const handlerManner = (patient: boolean): ObservableManner => ({
  patient,
  instead: (value) => (isObservable(value) ? value : from(Promise.resolve(value))),
});

/** Each subscription waits for the lock, then subscribes to the method's Observable, and gives the lock back at its end. */
export function runObservable(
  { plan, proceed, enter }: LockedRun,
  { patient, instead }: ObservableManner,
): Observable<unknown> {
  const start = (subscriber: Subscriber<unknown>, scope: LockScope): (() => void) => {
    const left = new Subject<void>();
    let mayLeave = !patient;
    let failure: { readonly error: unknown } | undefined;

    const finish = (): void => {
      try {
        checkLoss(plan, scope, failure?.error);
      } catch (error) {
        failure = { error };
      }
      void scope.end();
      if (failure === undefined) subscriber.complete();
      else subscriber.error(failure.error);
    };
    scope.run(() =>
      defer(() => proceed() as ObservableInput<unknown>)
        // finalize: the lock goes after the source was torn down, however it ended.
        .pipe(takeUntil(left), finalize(finish))
        .subscribe({
          next: (value) => {
            mayLeave = true;
            if (subscriber.closed) left.next();
            else subscriber.next(value);
          },
          error: (error: unknown) => (failure = { error }),
        }),
    );
    const { signal } = scope.lock;
    const lost = (): void => subscriber.error(signal.reason);
    if (plan.onLost === 'abort') signal.addEventListener('abort', lost);
    return () => {
      signal.removeEventListener('abort', lost);
      if (mayLeave) left.next();
    };
  };

  return new Observable((subscriber) => {
    const cancel = new AbortController();
    subscriber.add(() => cancel.abort());
    const run = async (): Promise<void> => {
      const entry = await enter(cancel.signal);
      if (entry.way === 'locked') {
        if (subscriber.closed) entry.scope.abandon();
        else subscriber.add(start(subscriber, entry.scope));
      } else {
        const other = entry.way === 'busy' ? instead(entry.instead) : (proceed() as ObservableInput<unknown>);
        from(other).subscribe(subscriber);
      }
    };
    run().catch((error: unknown) => subscriber.error(error));
  });
}
