// npm etcd3. Its lock does not wait, it throws when the key is held, so its user has to try again.
import { setTimeout as sleep } from 'node:timers/promises';
import { Etcd3, EtcdLockFailedError } from 'etcd3';
import { held } from '../held.mjs';

const TTL_S = 30;

/** @param {{ retryDelay: number, retryJitter: number }} settings in ms */
export function peer({ retryDelay, retryJitter }) {
  const pause = () => sleep(retryDelay + (Math.random() * 2 - 1) * retryJitter);
  const acquire = async (client, key) => {
    for (;;) {
      try {
        return await client.lock(key).ttl(TTL_S).acquire();
      } catch (error) {
        if (!(error instanceof EtcdLockFailedError)) throw error;
        await pause();
      }
    }
  };
  return {
    pollMs: retryDelay,
    async open(server) {
      const client = new Etcd3({ hosts: `http://${server}` });
      return {
        withLock: held(
          (key) => acquire(client, key),
          (lock) => lock.release(),
        ),
        close: () => client.close(),
      };
    },
  };
}
