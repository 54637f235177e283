// The smallest worker: shows that a worker runs the library's sources, with decorators and their metadata.
import 'reflect-metadata';
import { Injectable } from '@nestjs/common';
import { LockTimeoutError } from '../../../lib/errors/lock-timeout.error.js';
import { ZooKeeperProcess } from '../../../scripts/zookeeper/zookeeper-process.mjs';

@Injectable()
class Dependency {}

@Injectable()
class Echo {
  constructor(readonly dependency: Dependency) {}

  answer(message: unknown): unknown {
    if (message === 'code') return new LockTimeoutError('busy', { waitedMs: 1 }).code;
    if (message === 'metadata') {
      return (Reflect.getMetadata('design:paramtypes', Echo) as { name: string }[]).map(({ name }) => name);
    }
    return [message, ...process.argv.slice(2)];
  }
}

const echo = new Echo(new Dependency());

process.on('message', (message) => {
  void (async () => {
    if (message === 'write') {
      console.log('written');
    } else if (message === 'server') {
      const { port, pid } = await ZooKeeperProcess.start();
      process.send?.({ port, pid });
    } else if (message === 'throw') {
      throw new Error('as asked');
    } else {
      process.send?.(echo.answer(message));
    }
  })();
});
