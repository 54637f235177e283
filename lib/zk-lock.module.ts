import { Logger, Module, type DynamicModule, type FactoryProvider, type Provider } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { LockConfigError } from './errors/lock-config.error.js';
import { LockService } from './locking/lock.service.js';
import { LockSiteExplorer } from './locking/lock-site-explorer.js';
import { LockingModule } from './locking/locking.module.js';
import { LockManager } from './recipes/lock-manager.js';
import { ZkConnection } from './session/zk-connection.js';
import {
  asyncOptionsProviders,
  type FactoryDependency,
  type ZkLockModuleAsyncOptions,
} from './zk-lock.async-options.js';
import type { ZkConnectionFactory } from './zk-lock.connection-factory.js';
import { ZkLockLifecycle } from './zk-lock.lifecycle.js';
import { CONNECTION_TWICE, WITHOUT_FOR_ROOT } from './zk-lock.messages.js';
import { checkExtras, checkIsObject, resolveOptions } from './zk-lock.options-check.js';
import type { ResolvedZkLockOptions, ZkLockModuleExtras, ZkLockModuleOptions } from './zk-lock.options.js';
import {
  getLockServiceToken,
  getZkConnectionToken,
  getZkLockOptionsToken,
  ZK_CONNECTION_FACTORY,
} from './zk-lock.tokens.js';

/** One connection to ZooKeeper and the locks on it. Import it once per connection, in the root module. */
// forRoot puts its own in the place of this provider.
@Module({ providers: [{ provide: ZkLockLifecycle, useFactory: refuseWithoutForRoot }] })
export class ZkLockModule {
  /** @throws LockConfigError when an option is unknown or out of its range. */
  static forRoot(options: ZkLockModuleOptions & ZkLockModuleExtras): DynamicModule {
    checkIsObject(options);
    const { isGlobal, connectionName, ...rest } = options;
    const useValue = resolveOptions(rest);
    return define({ isGlobal, connectionName }, (provide) => [{ provide, useValue }]);
  }

  /** The same with options that must be computed or injected. `isGlobal` and `connectionName` stand beside the factory. */
  static forRootAsync<const Tokens extends readonly FactoryDependency[]>(
    options: ZkLockModuleAsyncOptions<Tokens>,
  ): DynamicModule {
    checkIsObject(options);
    return define(options, (provide) => asyncOptionsProviders(provide, options), options.imports);
  }
}

function define(
  { isGlobal = true, connectionName }: ZkLockModuleExtras,
  optionsProviders: (provide: symbol) => Provider[],
  imports: DynamicModule['imports'] = [],
): DynamicModule {
  checkExtras({ isGlobal, connectionName });
  const optionsToken = getZkLockOptionsToken(connectionName);
  const connectionToken = getZkConnectionToken(connectionName);
  const serviceToken = getLockServiceToken(connectionName);
  const logger = new Logger(ZkLockModule.name);

  const connection: FactoryProvider<ZkConnection> = {
    provide: connectionToken,
    inject: [optionsToken, ModulesContainer, { token: ZK_CONNECTION_FACTORY, optional: true }],
    useFactory: (
      options: ResolvedZkLockOptions,
      modules: ModulesContainer,
      factory?: ZkConnectionFactory,
    ) => {
      refuseTwice(modules, connectionToken, connectionName);
      return factory?.make(options, logger, connectionName) ?? new ZkConnection(options, logger);
    },
  };
  const manager: FactoryProvider<LockManager> = {
    provide: LockManager,
    inject: [connectionToken, optionsToken],
    useFactory: (zk: ZkConnection, options: ResolvedZkLockOptions) => new LockManager(zk, options, logger),
  };
  const service: FactoryProvider<LockService> = {
    provide: serviceToken,
    inject: [LockManager],
    useFactory: (locks: LockManager) => new LockService(locks),
  };
  const lifecycle: FactoryProvider<ZkLockLifecycle> = {
    provide: ZkLockLifecycle,
    inject: [optionsToken, connectionToken, LockManager, LockSiteExplorer],
    useFactory: (
      options: ResolvedZkLockOptions,
      zk: ZkConnection,
      locks: LockManager,
      lockSites: LockSiteExplorer,
    ) => new ZkLockLifecycle({ connectionName, options, connection: zk, manager: locks, lockSites, logger }),
  };
  // The default connection's providers are known by their classes too: aliases, not second instances.
  const isDefault = connectionToken === getZkConnectionToken();
  const aliases: Provider[] = isDefault
    ? [
        { provide: ZkConnection, useExisting: connectionToken },
        { provide: LockService, useExisting: serviceToken },
      ]
    : [];
  return {
    module: ZkLockModule,
    global: isGlobal,
    imports: [LockingModule, ...imports],
    providers: [...optionsProviders(optionsToken), connection, manager, service, lifecycle, ...aliases],
    exports: [connectionToken, serviceToken, ...(isDefault ? [ZkConnection, LockService] : [])],
  };
}

function refuseWithoutForRoot(): never {
  throw new LockConfigError(WITHOUT_FOR_ROOT);
}

/** Two connections under one name: which of them a class gets would depend on the order of imports. */
function refuseTwice(
  modules: ModulesContainer,
  connectionToken: symbol,
  connectionName: string | undefined,
): void {
  const owners = [...modules.values()].filter(({ providers }) => providers.has(connectionToken));
  if (owners.length > 1) throw new LockConfigError(CONNECTION_TWICE(connectionName));
}
