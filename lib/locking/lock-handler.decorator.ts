import 'reflect-metadata';
import { SetMetadata, UseInterceptors } from '@nestjs/common';
import { LockConfigError } from '../errors/lock-config.error.js';
import { LockKeyError } from '../errors/lock-key.error.js';
import type { LockTimeoutError } from '../errors/lock-timeout.error.js';
import { nearestName } from '../errors/nearest-name.js';
import { DistributedLockInterceptor, LOCK_HANDLER } from './distributed-lock.interceptor.js';
import type { FunctionKeys, KeySources, LockDecoratorOptions } from './distributed-lock.options.js';
import { REQUEST_PARTS, type LockRequest } from './handler-request.js';
import type { LockKey } from './lock-key.js';
import { makeLockPlan } from './lock-plan.js';
import { addLockSite } from './lock-sites.js';
import type { LockPath } from './lock-target.js';
import { foreignPlaceholder, type LockTemplate } from './lock-template.js';
import type { LockKindOptions } from './lock.service.js';
import { decoratedMethod } from './locked-method.js';
import * as messages from './locking.messages.js';
import type { ArgumentReader } from './parameter-names.js';

/** One key of a handler: a template over the parts of the request, a finished key, a path, or a function of the request. */
export type HandlerKeySource = string | LockKey | LockPath | ((request: LockRequest) => FunctionKeys);

/** Options that look at a request. */
export interface RequestOptions {
  /** As in `@DistributedLock`; `skip` answers with nothing (an empty body), a function with its result. Default `throw`. */
  onBusy?: 'throw' | 'skip' | ((error: LockTimeoutError, request: LockRequest) => unknown);
  /** Says of a request whether it needs the lock: with false the handler runs WITHOUT it. Default: every request does. */
  condition?: (request: LockRequest) => boolean;
  /** Gives up the wait of this request when it aborts. Default: none. */
  signal?: (request: LockRequest) => AbortSignal | undefined;
}

/** The options of `@DistributedLock`, their functions called with the request. */
export type LockHandlerOptions = LockDecoratorOptions & RequestOptions & LockKindOptions<number>;

/**
 * Locks the handler of a route, a WebSocket message or a microservice pattern by its request, after the guards and
 * before the pipes: `@LockHandler('order-pay:<params.id>')`. Placeholders begin with `params`, `query`, `body`,
 * `headers` (names in lower case) or `user` for HTTP, with `data` for messages.
 * What pipes change cannot be seen here (`/7` and `/07` differ): lock by arguments with `@DistributedLock` then.
 * @throws LockConfigError, LockKeyError when the class is loaded, for whatever can be found wrong by then.
 */
export function LockHandler(
  key: KeySources<HandlerKeySource>,
  options: LockHandlerOptions = {},
): MethodDecorator {
  return (target, name, descriptor) => {
    const decorator = 'LockHandler';
    const { site, method } = decoratedMethod(decorator, target, name, descriptor);
    if (Reflect.hasOwnMetadata(LOCK_HANDLER, method)) {
      throw new LockConfigError(messages.handlerLockedTwice(site));
    }
    const plan = makeLockPlan({
      decorator,
      site,
      method,
      returnType: Reflect.getMetadata('design:returntype', target, name),
      source: key,
      options,
      readers: (template) => requestReaders(site, template),
    });
    SetMetadata(LOCK_HANDLER, plan)(target, name, descriptor);
    UseInterceptors(DistributedLockInterceptor)(target, name, descriptor);
    addLockSite(target, { decorator, method: name, plan });
  };
}

function requestReaders(site: string, template: LockTemplate): ReadonlyMap<string, ArgumentReader> {
  const foreign = foreignPlaceholder(template, (name) =>
    REQUEST_PARTS.some((part) => name.startsWith(`${part}.`)),
  );
  if (foreign !== undefined) {
    throw new LockKeyError(messages.foreignPlaceholder(site, foreign.written, foreign.name));
  }
  const readers = new Map<string, ArgumentReader>();
  for (const part of template.parts) {
    if (typeof part === 'string') continue;
    const known = REQUEST_PARTS.find((name) => name === part.root);
    if (known === undefined) {
      const nearest = nearestName(part.root, REQUEST_PARTS);
      throw new LockKeyError(messages.unknownRequestPart(site, part.source, REQUEST_PARTS, nearest));
    }
    readers.set(known, ([request]) => (request as LockRequest)[known]);
  }
  return readers;
}
