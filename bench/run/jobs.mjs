// What is measured in one run, and in which order.
import { PEERS, takesPart } from '../peers/index.mjs';
import { WORKLOADS } from '../workloads.mjs';

/** For each workload and ZooKeeper (one or three) the peers that take part. */
export function groupsOf({ workloads, peers, servers }) {
  return workloads.flatMap((id) =>
    servers
      .filter((server) => server === 'zk1' || WORKLOADS[id].ensemble)
      .map((server) => ({ id, server, peers: peers.filter((name) => isMeasured(name, id, server)) }))
      .filter(({ peers: some }) => some.length > 0),
  );
}

/** The peers of a group take turns, and another one begins in each run. */
export function inTurn(peers, run) {
  const shift = run % peers.length;
  return [...peers.slice(shift), ...peers.slice(0, shift)];
}

/** The server that a peer runs on: those that do not use ZooKeeper have one of their own. */
export function serverOf(name, server) {
  return PEERS[name].server === 'zookeeper' ? server : PEERS[name].server;
}

function isMeasured(name, id, server) {
  const elsewhere = PEERS[name].server !== 'zookeeper';
  return takesPart(PEERS[name], WORKLOADS[id]) && !(elsewhere && server !== 'zk1');
}
