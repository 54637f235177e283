import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { DistributedLockInterceptor } from './distributed-lock.interceptor.js';
import { LockSiteExplorer } from './lock-site-explorer.js';

/**
 * @internal What the decorators need, once per application, whatever the number of connections. Global, since Nest
 * injects the interceptor into every class that has a locked method.
 */
@Global()
@Module({
  imports: [DiscoveryModule],
  providers: [DistributedLockInterceptor, LockSiteExplorer],
  exports: [DistributedLockInterceptor, LockSiteExplorer],
})
export class LockingModule {}
