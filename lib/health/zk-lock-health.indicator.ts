import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';
import { LockConfigError } from '../errors/lock-config.error.js';
import type { LockManager } from '../recipes/lock-manager.js';
import type { ZkConnection } from '../session/zk-connection.js';
import { TERMINUS_MISSING, UNKNOWN_CONNECTION } from '../zk-lock.messages.js';
import { getLockServiceToken, getZkConnectionToken } from '../zk-lock.tokens.js';
import {
  healthDetails,
  livenessOf,
  readinessOf,
  type ZkLockHealthDetails,
  type ZkLockHealthVerdict,
} from './health-verdict.js';

export interface ZkLockLivenessOptions {
  /** Which connection is asked. Default: the default one. */
  connectionName?: string;
}

export interface ZkLockReadinessOptions extends ZkLockLivenessOptions {
  /**
   * How long ZooKeeper's answer is waited for, in ms; an answer that takes more than half of it is `degraded`.
   * Shorter than the timeout of the probe (Kubernetes: 1 s by default). Default 800.
   */
  timeoutMs?: number;
}

const DEFAULT_TIMEOUT_MS = 800;

/**
 * Health of a connection to ZooKeeper for `@nestjs/terminus`. Register it among the providers of the module that has
 * the health controller.
 */
@Injectable()
export class ZkLockHealthIndicator implements OnModuleInit {
  private terminus: Promise<HealthIndicatorService> | undefined;

  constructor(@Inject(ModuleRef) private readonly moduleRef: ModuleRef) {}

  /** @throws Error when `@nestjs/terminus` is not installed. */
  async onModuleInit(): Promise<void> {
    await this.load();
  }

  /**
   * Can this process take locks now? `up` when ZooKeeper answers a request that goes through its leader, `degraded`
   * when it answers slowly or the connection just broke and every held lock is still safe, otherwise `down` with a `code`.
   * @throws LockConfigError when there is no such connection.
   */
  async readiness<Key extends string>(
    key: Key,
    { connectionName, timeoutMs = DEFAULT_TIMEOUT_MS }: ZkLockReadinessOptions = {},
  ): Promise<HealthIndicatorResult<Key>> {
    const { connection, locks } = this.find(connectionName);
    const health = await this.load();
    const roundTripMs = await connection.ping(timeoutMs).catch(() => undefined);
    const info = connection.info();
    return report(
      health,
      key,
      readinessOf(info, roundTripMs, timeoutMs, locks.degraded().active),
      healthDetails(info, locks.stats(), roundTripMs),
    );
  }

  /**
   * Would a restart help? `down` only when the connection was closed for good. Never because ZooKeeper is away: a
   * restart brings nothing then, and all processes would restart at once.
   * @throws LockConfigError when there is no such connection.
   */
  async liveness<Key extends string>(
    key: Key,
    { connectionName }: ZkLockLivenessOptions = {},
  ): Promise<HealthIndicatorResult<Key>> {
    const { connection, locks } = this.find(connectionName);
    const health = await this.load();
    const info = connection.info();
    return report(health, key, livenessOf(info), healthDetails(info, locks.stats()));
  }

  /** Looked up by name at each call, so that one indicator serves every connection, global or not. */
  private find(connectionName: string | undefined): {
    connection: ZkConnection;
    locks: Pick<LockManager, 'stats' | 'degraded'>;
  } {
    try {
      return {
        connection: this.moduleRef.get<ZkConnection>(getZkConnectionToken(connectionName), { strict: false }),
        locks: this.moduleRef.get<Pick<LockManager, 'stats' | 'degraded'>>(
          getLockServiceToken(connectionName),
          {
            strict: false,
          },
        ),
      };
    } catch (cause) {
      throw new LockConfigError(UNKNOWN_CONNECTION(connectionName), { cause });
    }
  }

  /** An optional peer: loaded when it is first needed, so that its absence can be told in plain words. */
  private load(): Promise<HealthIndicatorService> {
    this.terminus ??= import('@nestjs/terminus').then(
      ({ HealthIndicatorService }) => new HealthIndicatorService(),
      (cause: unknown) => {
        throw new Error(TERMINUS_MISSING, { cause });
      },
    );
    return this.terminus;
  }
}

function report<Key extends string>(
  health: HealthIndicatorService,
  key: Key,
  { status, code, message }: ZkLockHealthVerdict,
  details: ZkLockHealthDetails,
): HealthIndicatorResult<Key> {
  const result = health.check(key);
  if (status === 'up') return result.up({ ...details });
  return status === 'degraded'
    ? result.degraded({ code, message, ...details })
    : result.down({ code, message, ...details });
}
