// @sesamecare-oss/redlock (the maintained fork of redlock 5) with ioredis on one Redis. It waits by polling.
import { Redlock } from '@sesamecare-oss/redlock';
import { Redis } from 'ioredis';
import { held } from '../held.mjs';

const TTL_MS = 120_000;
const OWN_RETRY_DELAY_MS = 200;

/** @param {{ retryDelay?: number, retryJitter?: number }} settings of the library */
export function peer(settings) {
  return {
    pollMs: settings.retryDelay ?? OWN_RETRY_DELAY_MS,
    async open(server) {
      const redis = new Redis(`redis://${server}`);
      await redis.ping();
      const redlock = new Redlock([redis], { retryCount: -1, ...settings });
      return {
        withLock: held(
          (key) => redlock.acquire([key], TTL_MS),
          (lock) => lock.release(),
        ),
        close: () => redis.quit(),
      };
    },
  };
}
