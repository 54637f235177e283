import type { OnModuleDestroy } from '@nestjs/common';
import { LockConfigError } from '../../errors/lock-config.error.js';
import type { LockLogger } from '../../session/lock-logger.js';
import type { ZkConnectionFactory } from '../../zk-lock.connection-factory.js';
import type { ResolvedZkLockOptions } from '../../zk-lock.options.js';
import { TestingServer, type TestingServerOptions } from '../testing-server.js';
import { EmbeddedConnection } from './embedded-connection.js';

/**
 * The servers of one application under test. Connections whose connect strings name the same ensemble share a server,
 * others have one each, so that the same key on two ensembles is two locks here, too.
 */
export class EmbeddedServers implements ZkConnectionFactory, OnModuleDestroy {
  /** By the hosts that the application names. */
  private readonly started = new Map<string, Promise<TestingServer>>();
  /** By their names; undefined is the default one. */
  private readonly connections = new Map<string | undefined, EmbeddedConnection>();

  /** @param source a server that somebody else stops, or the options of those that are started here. */
  constructor(private readonly source: TestingServer | TestingServerOptions) {}

  async make(
    options: ResolvedZkLockOptions,
    logger: LockLogger,
    connectionName: string | undefined,
  ): Promise<EmbeddedConnection> {
    const server = await this.serverFor(options.hosts);
    const connection = new EmbeddedConnection(server, options, logger, async () => {
      this.connections.delete(connectionName);
      if (this.connections.size === 0) await this.stopAll();
    });
    this.connections.set(connectionName, connection);
    return connection;
  }

  /** @throws {LockConfigError} when no ZkLockModule has set up this connection, or the application is closed. */
  connectionOf(connectionName: string | undefined): EmbeddedConnection {
    const connection = this.connections.get(connectionName);
    if (connection !== undefined) return connection;
    const nameOf = (name: string | undefined) => (name === undefined ? 'the default one' : `"${name}"`);
    const known = [...this.connections.keys()].map(nameOf).join(', ');
    throw new LockConfigError(
      `ZkLockTesting: there is no connection ${nameOf(connectionName)}. Known: ${known || 'none'}. ` +
        'Potential solutions: import the module that imports ZkLockModule.forRoot(…) into the test; or ask before the application is closed.',
    );
  }

  /** The application is about to close, perhaps in the middle of a fault that a failed test has left. */
  async onModuleDestroy(): Promise<void> {
    const servers = await Promise.all(this.started.values());
    await Promise.all(servers.map((server) => server.heal()));
  }

  private serverFor(hosts: string): Promise<TestingServer> {
    if (this.source instanceof TestingServer) return Promise.resolve(this.source);
    const server = this.started.get(hosts) ?? this.start(this.source);
    this.started.set(hosts, server);
    return server;
  }

  private async start(options: TestingServerOptions): Promise<TestingServer> {
    const server = await TestingServer.start(options);
    // An application that could not be made is never closed: its server must not keep the test's process alive.
    server.unref();
    return server;
  }

  private async stopAll(): Promise<void> {
    const servers = await Promise.all(this.started.values());
    this.started.clear();
    await Promise.all(servers.map((server) => server.stop()));
  }
}
