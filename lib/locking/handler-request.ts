import type { ExecutionContext } from '@nestjs/common';
import { LockConfigError } from '../errors/lock-config.error.js';
import * as messages from './locking.messages.js';

/** What `@LockHandler` may lock by: the parts of a request, as they came, before pipes. */
export interface LockRequest {
  /** HTTP: parameters of the route. */
  readonly params?: Readonly<Record<string, unknown>>;
  /** HTTP: what stands behind the `?`. */
  readonly query?: Readonly<Record<string, unknown>>;
  /** HTTP: the parsed body. */
  readonly body?: unknown;
  /** HTTP: the headers, their names in lower case. */
  readonly headers?: Readonly<Record<string, unknown>>;
  /** HTTP: whoever a guard found out is asking. */
  readonly user?: unknown;
  /** WebSocket and microservice: the payload of the message. */
  readonly data?: unknown;
}

export const REQUEST_PARTS = [
  'params',
  'query',
  'body',
  'headers',
  'user',
  'data',
] as const satisfies readonly (keyof LockRequest)[];

/** @throws LockConfigError for a kind of context that has none of these. */
export function handlerRequest(site: string, context: ExecutionContext): LockRequest {
  const type = context.getType<string>();
  switch (type) {
    case 'http': {
      const { params, query, body, headers, user } = context.switchToHttp().getRequest<LockRequest>();
      return { params, query, body, headers, user };
    }
    case 'ws':
      return { data: context.switchToWs().getData() };
    case 'rpc':
      return { data: context.switchToRpc().getData() };
    default:
      throw new LockConfigError(messages.contextNotSupported(site, type));
  }
}
