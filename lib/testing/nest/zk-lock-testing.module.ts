import { Module, type DynamicModule } from '@nestjs/common';
import { LockConfigError } from '../../errors/lock-config.error.js';
import { ZK_CONNECTION_FACTORY } from '../../zk-lock.tokens.js';
import type { TestingServer, TestingServerOptions } from '../testing-server.js';
import { EmbeddedServers } from './embedded-servers.js';
import { ZkLockTesting } from './zk-lock-testing.js';

/** What stands in the place of ZooKeeper: options of the server that the module starts, or a server. */
export interface ZkLockTestingModuleOptions extends Omit<TestingServerOptions, 'port' | 'host'> {
  /** A server that the test starts and stops itself, without other options; several applications can use it. */
  server?: TestingServer;
}

/**
 * Puts a server in this process in the place of ZooKeeper, for tests: all connections of `ZkLockModule` in the same
 * application use it, whatever their `connectString` says. Import it in the test, beside the modules under test, which
 * stay as they are. Closing the application (`module.close()`) cleans everything up.
 *
 * ```ts
 * const module = await Test.createTestingModule({ imports: [AppModule, ZkLockTestingModule.forRoot()] }).compile();
 * await module.init();
 * const zk = module.get(ZkLockTesting);
 * ```
 */
@Module({})
export class ZkLockTestingModule {
  /** @throws {LockConfigError} for options beside a server; for those of a server when the application is made. */
  static forRoot({ server, ...options }: ZkLockTestingModuleOptions = {}): DynamicModule {
    const names = Object.keys(options);
    if (server !== undefined && names.length > 0) {
      throw new LockConfigError(
        `ZkLockTestingModule: the option "server" stands alone: give ${names.join(', ')} to its TestingServer.start(…).`,
      );
    }
    const servers = new EmbeddedServers(server ?? options);
    return {
      module: ZkLockTestingModule,
      global: true,
      providers: [
        { provide: ZK_CONNECTION_FACTORY, useValue: servers },
        { provide: ZkLockTesting, useValue: new ZkLockTesting(servers) },
      ],
      exports: [ZK_CONNECTION_FACTORY, ZkLockTesting],
    };
  }
}
