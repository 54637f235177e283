// Which tests run against which server. `npm test` runs everything against a real ZooKeeper, and with ZK_SERVER=embedded
// everything but these against the embedded server.

/** What is tested on a real ZooKeeper only, or once: a pattern of paths, and why. */
export const NOT_ON_EMBEDDED = {
  'test/chaos/':
    'an ensemble: members are killed, paused and cut off from each other; the rest needs no server',
  'test/faults/ensemble\\.test': 'an ensemble: a follower that is cut off from its leader',
  'test/support/zookeeper-process\\.test': 'the real server as a process, and the ensemble',
  'test/support/child-process\\.test': 'a process ends with the one that started it: the real server',
  'test/(differential/|interop/zk-cli)': 'starts both servers itself, and compares them',
  'test/testing/': 'the embedded server itself, started by its own name',
  'test/(unit|types)/': 'no server',
  'test/docs/(?!readme-examples)': 'no server',
  'test/(sample/payments-postgres|support/postgres-server|interop/support/grant-log)\\.test':
    'PostgreSQL, or no server at all',
};
