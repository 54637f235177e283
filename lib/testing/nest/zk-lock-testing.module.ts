import { Module, type DynamicModule } from '@nestjs/common';
import { checkOptions, type OptionRules } from '../../errors/check-options.js';
import { LockConfigError } from '../../errors/lock-config.error.js';
import { ZK_CONNECTION_FACTORY } from '../../zk-lock.tokens.js';
import { RULES } from '../testing-server-options.js';
import { TestingServer, type TestingServerOptions } from '../testing-server.js';
import { EmbeddedServers } from './embedded-servers.js';
import { ZkLockTesting } from './zk-lock-testing.js';

/** What stands in the place of ZooKeeper: options of the server that the module starts, or a server. */
export interface ZkLockTestingModuleOptions extends Omit<TestingServerOptions, 'port' | 'host'> {
  /** A server that the test starts and stops itself, without other options; several applications can use it. */
  server?: TestingServer;
}

const { port: _port, host: _host, ...SERVER_RULES } = RULES;
const MODULE_RULES: OptionRules<ZkLockTestingModuleOptions> = {
  ...SERVER_RULES,
  server: {
    allowed: 'servers that TestingServer.start(…) has made',
    accepts: (value) => value instanceof TestingServer,
  },
};

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
// forRoot puts its own in the place of this provider.
@Module({ providers: [{ provide: ZkLockTesting, useFactory: refuseWithoutForRoot }] })
export class ZkLockTestingModule {
  /** @throws {LockConfigError} for options that do not exist or are out of range, and for options beside a server. */
  static forRoot(given: ZkLockTestingModuleOptions = {}): DynamicModule {
    checkOptions(given, MODULE_RULES, 'ZkLockTestingModule.forRoot');
    const { server, ...options } = given;
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

function refuseWithoutForRoot(): never {
  throw new LockConfigError(
    'ZkLockTestingModule is imported as a class: the application would connect to its own connectString. ' +
      'Potential solution: import ZkLockTestingModule.forRoot().',
  );
}
