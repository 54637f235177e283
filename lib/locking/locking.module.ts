import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { DistributedLockInterceptor } from './distributed-lock.interceptor.js';
import { LeaderElections } from './leader-elections.js';
import { LockSiteExplorer } from './lock-site-explorer.js';
import { ShutdownHooksCheck } from './shutdown-hooks-check.js';

/**
 * @internal What the decorators need, once per application, whatever the number of connections. Global, since Nest
 * injects the interceptor into every class that has a locked method.
 */
@Global()
@Module({
  imports: [DiscoveryModule],
  providers: [DistributedLockInterceptor, LeaderElections, LockSiteExplorer, ShutdownHooksCheck],
  exports: [DistributedLockInterceptor, LeaderElections, LockSiteExplorer],
})
export class LockingModule {}
