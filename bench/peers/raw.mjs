// The least that a fair lock on ZooKeeper can send through the `zookeeper` package. It knows nothing of broken connections.
import {
  call,
  connect,
  CONTAINER,
  EPHEMERAL_SEQUENTIAL,
  gone,
  prepare,
  ROOT,
  unlessThere,
} from './raw-client.mjs';
import { held } from './held.mjs';

export function peer() {
  return {
    async open(server) {
      const client = await connect(server);
      return {
        prepare: (keys) => prepare(client, keys),
        withLock: held(
          (key, how) => acquire(client, `${ROOT}/${key}`, how),
          (path) => call(client, 'a_delete_', path, -1),
        ),
        close: () => client.close(),
      };
    },
  };
}

async function acquire(client, parent, { isNew = false } = {}) {
  // all in one round trip: a session's requests are answered in order
  if (isNew) unlessThere(call(client, 'a_create', parent, '', CONTAINER)).catch(() => undefined); // else the next one fails
  const created = call(client, 'a_create', `${parent}/n-`, '', EPHEMERAL_SEQUENTIAL);
  let listed = call(client, 'a_get_children', parent, false);
  const path = await created;
  const own = path.slice(parent.length + 1);
  for (;;) {
    const before = (await listed).filter((name) => name < own); // names differ in their sequence only
    if (before.length === 0) return path;
    await gone(client, `${parent}/${before.reduce((a, b) => (a > b ? a : b))}`);
    if (before.length === 1) return path; // nobody can appear in front later
    listed = call(client, 'a_get_children', parent, false);
  }
}
