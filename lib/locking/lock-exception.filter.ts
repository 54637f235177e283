import { Catch, Inject, Logger, type ArgumentsHost, type ExceptionFilter, type Type } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { throwError } from 'rxjs';
import { isLockTimeoutError } from '../errors/lock-timeout.error.js';
import { isZkLockError, type ZkLockError, type ZkLockErrorCode } from '../errors/zk-lock.error.js';
import * as messages from './locking.messages.js';

/** For `@Catch`, which asks `error instanceof …`: it also knows the errors of another copy of the library. */
const anyZkLockError = { [Symbol.hasInstance]: isZkLockError } as unknown as Type<ZkLockError>;

interface Answer {
  readonly status: 400 | 423 | 500 | 503;
  readonly message: string;
}

const unavailable: Answer = { status: 503, message: messages.httpUnavailable() };
const internal: Answer = { status: 500, message: messages.httpInternal() };

const ANSWERS: Readonly<Record<ZkLockErrorCode, Answer>> = {
  ZK_LOCK_TIMEOUT: { status: 423, message: messages.httpBusy() },
  ZK_LOCK_CONNECTION: unavailable,
  ZK_LOCK_SHUTDOWN: unavailable,
  ZK_LOCK_ABORTED: unavailable,
  ZK_LOCK_LOST: { status: 503, message: messages.httpLost() },
  ZK_LOCK_KEY: { status: 400, message: messages.httpBadKey() },
  ZK_LOCK_ACCESS: internal,
  ZK_LOCK_CONFIG: internal,
  ZK_LOCK_SEQUENCE: internal,
  ZK_LOCK_UPGRADE: internal,
  ZK_LOCK_NOT_HELD: internal,
};

const NAMES: Readonly<Record<Answer['status'], string>> = {
  400: 'Bad Request',
  423: 'Locked',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

/** Longer than this nobody is sent away, in s. */
const MAX_RETRY_AFTER = 30;

/**
 * Opt-in: answers requests that failed for want of a lock. Busy: 423 with `Retry-After` (as long as the request had
 * waited, 1 to 30 s). Unreachable, lost, shutting down or cancelled: 503 with `Retry-After: 1`. Unusable key: 400.
 * Access, configuration and everything else: 500. Clients are never told who holds what; the log is: 423 at debug, 400
 * at warn, 503 and 500 at error.
 * A WebSocket client gets an `exception` event, the caller of a microservice an error, both as
 * `{ status: 'error', message, code }`. Elsewhere (GraphQL) the error is passed on as it is.
 *
 * `app.useGlobalFilters(new LockExceptionFilter(app.get(HttpAdapterHost)))`, or as a provider:
 * `{ provide: APP_FILTER, useClass: LockExceptionFilter }`. Gateways want `@UseFilters(LockExceptionFilter)`.
 */
@Catch(anyZkLockError)
export class LockExceptionFilter implements ExceptionFilter<ZkLockError> {
  private readonly logger = new Logger(LockExceptionFilter.name);

  constructor(@Inject(HttpAdapterHost) private readonly adapterHost: HttpAdapterHost) {}

  catch(error: ZkLockError, host: ArgumentsHost): unknown {
    const { status, message } = ANSWERS[error.code];
    this.log(status, error);
    const { code } = error;
    switch (host.getType<string>()) {
      case 'http':
        this.reply(error, host.switchToHttp().getResponse());
        return undefined;
      case 'ws':
        emitException(host.switchToWs().getClient(), { status: 'error', message, code });
        return undefined;
      case 'rpc':
        return throwError(() => ({ status: 'error', message, code }));
      default:
        throw error;
    }
  }

  private log(status: Answer['status'], { message, stack }: ZkLockError): void {
    if (status === 423) this.logger.debug(message);
    else if (status === 400) this.logger.warn(message);
    else if (status === 503) this.logger.error(message);
    else this.logger.error(message, stack);
  }

  private reply(error: ZkLockError, response: unknown): void {
    const { httpAdapter } = this.adapterHost;
    if (httpAdapter.isHeadersSent(response)) {
      httpAdapter.end(response);
      return;
    }
    const { status, message } = ANSWERS[error.code];
    if (status === 423 || status === 503) {
      httpAdapter.setHeader(response, 'Retry-After', String(retryAfterSeconds(error)));
    }
    const body = { statusCode: status, error: NAMES[status], message, code: error.code };
    httpAdapter.reply(response, body, status);
  }
}

function retryAfterSeconds(error: ZkLockError): number {
  const waitedMs = isLockTimeoutError(error) ? error.waitedMs : 0;
  return Math.min(MAX_RETRY_AFTER, Math.max(1, Math.ceil(waitedMs / 1_000)));
}

/** A client of `ws` has `send` and a numeric `readyState`; Socket.IO's has `emit`. Nest tells them apart the same way. */
interface WsClient {
  readonly readyState?: unknown;
  send?(text: string): void;
  emit?(event: string, data: unknown): void;
}

function emitException(client: WsClient, data: object): void {
  if (typeof client.readyState === 'number') client.send?.(JSON.stringify({ event: 'exception', data }));
  else client.emit?.('exception', data);
}
