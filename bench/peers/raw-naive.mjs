// What not to do: one ephemeral node for all, which every waiter watches, so that each release wakes everyone.
import { call, connect, EPHEMERAL, gone, prepare, ROOT, unlessThere } from './raw-client.mjs';
import { held } from './held.mjs';

export function peer() {
  return {
    async open(server) {
      const client = await connect(server);
      return {
        prepare: (keys) => prepare(client, keys),
        withLock: held(
          (key) => acquire(client, `${ROOT}/${key}/lock`),
          (path) => call(client, 'a_delete_', path, -1),
        ),
        close: () => client.close(),
      };
    },
  };
}

async function acquire(client, path) {
  while ((await unlessThere(call(client, 'a_create', path, '', EPHEMERAL))) === undefined)
    await gone(client, path);
  return path;
}
