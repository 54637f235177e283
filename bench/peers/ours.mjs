// This library, as an application has it: the built package in a Nest application context.
import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { LockService, ZkLockModule } from 'nestjs-zk-lock';
import { held } from './held.mjs';

const WAIT_MS = 300_000;

/** @param {{ api: 'withLock' | 'acquire', options?: object }} settings options of every acquire */
export function peer({ api, options = {} }) {
  const all = { waitMs: WAIT_MS, ...options };
  // one object for each kind of acquire, as an application would have constants
  const byMode = { undefined: all, read: { ...all, mode: 'read' }, write: { ...all, mode: 'write' } };

  return {
    async open(server) {
      const module = ZkLockModule.forRoot({
        connectString: server,
        sessionTimeoutMs: 40_000,
        root: '/bench',
      });
      const context = await NestFactory.createApplicationContext(module, {
        logger: false,
        abortOnError: false,
      });
      const locks = context.get(LockService);
      return {
        withLock:
          api === 'withLock'
            ? (key, section, { mode } = {}) => locks.withLock(key, section, byMode[mode])
            : held(
                (key, { mode } = {}) => locks.acquire(key, byMode[mode]),
                (lock) => lock.release(),
              ),
        close: () => context.close(),
      };
    },
  };
}
