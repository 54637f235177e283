// murlock's service, without a Nest application around it. It waits by polling.
import 'reflect-metadata';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { MurLockService } = require('murlock');
const { AsyncStorageManager } = require('murlock/dist/als/als-manager');
const { AsyncStorageService } = require('murlock/dist/als/als.service');

const TTL_MS = 120_000;

/** @param {{ wait: number }} settings ms between two tries */
export function peer({ wait }) {
  return {
    pollMs: wait,
    async open(server) {
      const redisOptions = { url: `redis://${server}`, socket: {} };
      const options = { redisOptions, wait, maxAttempts: 1, logLevel: 'error', blocking: true };
      const service = new MurLockService(options, new AsyncStorageService(new AsyncStorageManager()));
      await service.onModuleInit();
      return {
        withLock: (key, section) => service.runWithLock(key, TTL_MS, section),
        close: () => service.onApplicationShutdown(),
      };
    },
  };
}
