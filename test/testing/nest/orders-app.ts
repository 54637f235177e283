import { Injectable, Module } from '@nestjs/common';
import { currentLock, DistributedLock, LockService, ZkLockModule, type HeldLock } from 'nestjs-zk-lock';

/** Not a server: nothing in an application under test may connect to what its options say. */
export const NOWHERE = '127.0.0.1:1';

@Injectable()
export class OrdersService {
  /** Ends `pay`, which waits for it under its lock. */
  finish: () => void = () => undefined;
  private readonly finished = new Promise<void>((resolve) => (this.finish = resolve));

  constructor(readonly locks: LockService) {}

  @DistributedLock('order-pay:<id>')
  async pay(id: string): Promise<HeldLock> {
    const lock = currentLock();
    if (id === 'slow') await this.finished;
    return lock;
  }

  @DistributedLock('order-pay:<id>', { connection: 'billing' })
  async bill(id: string): Promise<string> {
    return id;
  }

  @DistributedLock('report:<id>', { mode: 'read' })
  async report(id: string): Promise<string> {
    return id;
  }
}

/** An application that knows nothing of tests, as a user's. */
@Module({
  imports: [
    ZkLockModule.forRootAsync({
      useFactory: () => ({ connectString: `${NOWHERE}/shop`, root: '/teams/locks', sessionTimeoutMs: 5_000 }),
    }),
    ZkLockModule.forRoot({ connectString: '127.0.0.1:2', connectionName: 'billing' }),
  ],
  providers: [OrdersService],
  exports: [OrdersService],
})
export class OrdersModule {}

@Module({ imports: [OrdersModule] })
export class AppModule {}
