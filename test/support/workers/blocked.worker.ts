// A decorated method that blocks the event loop for longer than its session lasts, and then writes.
import 'reflect-metadata';
import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { isLockLostError } from '../../../lib/errors/lock-lost.error.js';
import { DistributedLock } from '../../../lib/locking/distributed-lock.decorator.js';
import { currentLock } from '../../../lib/recipes/lock-context.js';
import { ZkLockModule } from '../../../lib/zk-lock.module.js';
import { FencedRegister } from '../fenced-register.js';

const [connectString = '', file = '', blockMs = '0', sessionTimeoutMs = '0'] = process.argv.slice(2);

@Injectable()
class Reports {
  readonly seen: Record<string, unknown> = {};

  @DistributedLock('report')
  async write(): Promise<void> {
    const lock = currentLock();
    process.send?.({ token: lock.fencingToken });
    await new Promise((resolve) => process.once('message', resolve));
    const end = performance.now() + Number(blockMs);
    while (performance.now() < end);
    this.seen.held = lock.isHeld();
    await new Promise((resolve) => setImmediate(resolve));
    this.seen.aborted = lock.signal.aborted;
    using register = new FencedRegister(file);
    this.seen.written = register.write('report', lock.fencingToken, 'late');
  }
}

@Module({
  imports: [ZkLockModule.forRoot({ connectString, sessionTimeoutMs: Number(sessionTimeoutMs) })],
  providers: [Reports],
})
class AppModule {}

const app = await NestFactory.createApplicationContext(AppModule, { logger: false });
const reports = app.get(Reports);
const outcome = await reports.write().then(
  () => 'resolved',
  (error: unknown) => (isLockLostError(error) ? `LockLostError ${error.reason}` : String(error)),
);
process.send?.({ ...reports.seen, outcome });
await app.close();
process.disconnect();
