// An application for module-process.test.ts: takes a lock and keeps it until it is told to stop.
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { LockService } from '../../lib/locking/lock.service.js';
import { ZkLockModule } from '../../lib/zk-lock.module.js';

const { ZK = '', SECOND, KEY = 'deploy', HOOKS, CONNECT_TIMEOUT_MS = '10000' } = process.env;

const options = {
  connectString: ZK,
  sessionTimeoutMs: 60_000,
  connectTimeoutMs: Number(CONNECT_TIMEOUT_MS),
};

@Module({
  imports: [
    ZkLockModule.forRoot(options),
    ...(SECOND === undefined ? [] : [ZkLockModule.forRoot({ ...options, connectionName: SECOND })]),
  ],
})
class AppModule {}

try {
  const app = await NestFactory.createApplicationContext(AppModule);
  if (HOOKS === 'on') app.enableShutdownHooks();
  await app.get(LockService).acquire(KEY);
  console.log('has the lock');
  // Later than the library looks for shutdown hooks, whatever the speed of the machine.
  setTimeout(() => console.log('has been up for a while'), 2_500);
} catch (error) {
  console.log(`did not start: ${(error as { code?: string }).code ?? String(error)}`);
}
