import {
  Inject,
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { Observable } from 'rxjs';
import { LockConfigError } from '../errors/lock-config.error.js';
import { isLockShutdownError } from '../errors/lock-shutdown.error.js';
import { isLockTimeoutError } from '../errors/lock-timeout.error.js';
import { getLockServiceToken } from '../zk-lock.tokens.js';
import { handlerRequest } from './handler-request.js';
import { LeaderElections } from './leader-elections.js';
import type { LockPlan } from './lock-plan.js';
import type { LockedCall } from './lock-plan-keys.js';
import type { KeyWithMode, LockService } from './lock.service.js';
import { handlerManner, methodManner, runObservable } from './locked-observable.js';
import { runGenerator, runPromise, type Entry, type LockedRun } from './locked-run.js';
import * as messages from './locking.messages.js';

/** @internal Where `@LockHandler` leaves its plan: metadata of the handler. */
export const LOCK_HANDLER = 'nestjs-zk-lock:handler';

/** The one piece that acquires, runs and releases, for `@DistributedLock`, `@LockHandler` and `@LeaderOnly`. */
@Injectable()
export class DistributedLockInterceptor implements NestInterceptor {
  private readonly services = new Map<string | undefined, LockService>();

  constructor(
    @Inject(ModuleRef) private readonly moduleRef: ModuleRef,
    @Inject(LeaderElections) private readonly elections: LeaderElections,
  ) {}

  /** Runs a method under its lock, in the way that its kind of result asks for. `proceed` is the method itself. */
  around(plan: LockPlan, call: LockedCall, proceed: () => unknown): unknown {
    return runByKind({ plan, proceed, enter: this.door(plan, call) });
  }

  /** Locks a handler by its request, before its pipes run. */
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const plan = Reflect.getMetadata(LOCK_HANDLER, context.getHandler()) as LockPlan | undefined;
    if (plan === undefined) return next.handle();
    const call: LockedCall = { self: undefined, args: [handlerRequest(plan.site, context)] };
    return runObservable(
      { plan, proceed: () => next.handle(), enter: this.door(plan, call) },
      handlerManner(plan.kind !== 'observable'),
    );
  }

  /** @throws LockConfigError when the connection that the plan names does not exist. */
  serviceOf({ site, connection }: LockPlan): LockService {
    let service = this.services.get(connection);
    if (service === undefined) {
      try {
        service = this.moduleRef.get<LockService>(getLockServiceToken(connection), { strict: false });
      } catch (cause) {
        throw new LockConfigError(messages.noSuchConnection(site, connection), { cause });
      }
      this.services.set(connection, service);
    }
    return service;
  }

  /** Everything that is asked of the arguments is asked here, once, before the method can change them. */
  private door(plan: LockPlan, call: LockedCall): LockedRun['enter'] {
    const { leader } = plan;
    if (leader !== undefined) {
      return () => Promise.resolve(this.elections.enter(this.serviceOf(plan), leader));
    }
    const ticket = once(() =>
      plan.needsLock(call) ? { keys: plan.keys(call), signal: plan.signal(call) } : 'none',
    );
    return (cancel) => this.enter(plan, call, ticket, cancel);
  }

  private async enter(
    plan: LockPlan,
    call: LockedCall,
    ticket: () => Ticket,
    cancel: AbortSignal | undefined,
  ): Promise<Entry> {
    const needed = ticket();
    if (needed === 'none') return { way: 'unlocked' };
    const signals = [needed.signal, cancel].filter((signal) => signal !== undefined);
    const options = { ...plan.acquire, signal: signals.length > 1 ? AbortSignal.any(signals) : signals[0] };
    try {
      return { way: 'locked', scope: await this.serviceOf(plan).enter(needed.keys, options) };
    } catch (error) {
      if (plan.onBusy === 'fallback' && isLockTimeoutError(error)) {
        return { way: 'busy', instead: plan.fallback(call, error) };
      }
      // What may be skipped need not start any more when the application is going.
      if (plan.onBusy === 'skip' && (isLockTimeoutError(error) || isLockShutdownError(error))) {
        return { way: 'busy', instead: undefined };
      }
      throw error;
    }
  }
}

/** What a call needs: nothing, when the user's `condition` says so. */
type Ticket = 'none' | { readonly keys: readonly KeyWithMode[]; readonly signal: AbortSignal | undefined };

/** Runs `make` now, and hands out what came of it, its error too, as often as one asks. */
function once<T>(make: () => T): () => T {
  try {
    const made = make();
    return () => made;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** @internal Also how a call is refused: then its `enter` rejects. */
export function runByKind(run: LockedRun): unknown {
  switch (run.plan.kind) {
    case 'promise':
      return runPromise(run);
    case 'observable':
      return runObservable(run, methodManner);
    case 'generator':
      return runGenerator(run);
  }
}
