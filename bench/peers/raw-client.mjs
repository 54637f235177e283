// The `zookeeper` package without anything around it. The methods of `native` skip its formatting of every argument.
import ZooKeeper from 'zookeeper';

const { ZNODEEXISTS, ZNONODE } = ZooKeeper.constants;
export const CONTAINER = 4;
export const { ZOO_EPHEMERAL: EPHEMERAL, ZOO_EPHEMERAL_SEQUENTIAL: EPHEMERAL_SEQUENTIAL } =
  ZooKeeper.constants;
export const ROOT = '/bench';

export async function connect(server) {
  const client = new ZooKeeper({
    connect: server,
    timeout: 40_000,
    debug_level: 0,
    response_counter_limit: 1_000_000,
  });
  await new Promise((resolve, reject) => client.connect({}, (error) => (error ? reject(error) : resolve())));
  return client;
}

/** One request. */
export function call({ native }, name, ...args) {
  return new Promise((resolve, reject) => {
    const fail = (rc) => reject(Object.assign(new Error(`${name}: error ${rc}`), { rc }));
    const sent = native[name](...args, (rc, _message, value) => (rc === 0 ? resolve(value) : fail(rc)));
    if (sent !== 0) fail(sent);
  });
}

/** Resolves to undefined when the node was there already. */
export const unlessThere = (creating) => creating.catch(except(ZNODEEXISTS));

/** Resolves once the node is gone; at once when it is not there. */
export function gone(client, path) {
  return new Promise((resolve, reject) => {
    call(client, 'aw_get', path, resolve)
      .catch(except(ZNONODE))
      .then((data) => data === undefined && resolve(), reject);
  });
}

/** Makes the parents of keys. */
export async function prepare(client, keys) {
  for (const path of [ROOT, ...keys.map((key) => `${ROOT}/${key}`)]) {
    await unlessThere(call(client, 'a_create', path, '', 0));
  }
}

const except = (code) => (error) => {
  if (error.rc !== code) throw error;
};
