// What was said on the command line.
import { PEERS } from '../peers/index.mjs';
import { WORKLOADS, workloadsNamed } from '../workloads.mjs';

const USAGE = `npm run bench -- [workloads] [peers] [options]
  workloads       ${[...new Set(Object.keys(WORKLOADS).map((id) => id.split('/')[0]))].join(' ')}; default: all
  peers           ${Object.keys(PEERS).join(' ')}; default: all
  --runs N        how often everything is measured; default 3
  --servers LIST  zk1 (one ZooKeeper), zk3 (three); default zk1,zk3
  --set NAME=N    a setting of the workloads, for example seconds=2 (worker/settings.mjs); may be repeated
  --hurry         does not wait for a quiet machine, and takes no sample twice: to try things out
  --from FILE     measures nothing, prints the table of earlier results
  --write         writes docs/performance.md; by itself only a whole run does that`;

/** @throws {Error} with the usage */
export function readArguments(args) {
  const asked = {
    runs: 3,
    servers: ['zk1', 'zk3'],
    settings: {},
    workloads: [],
    peers: [],
    write: false,
    hurry: false,
  };
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === '--write') asked.write = true;
    else if (arg === '--hurry') asked.hurry = true;
    else if (arg === '--runs') asked.runs = wholeNumber(rest.shift());
    else if (arg === '--servers') asked.servers = listOf(rest.shift(), ['zk1', 'zk3']);
    else if (arg === '--from') asked.from = rest.shift() ?? refuse('--from needs a file');
    else if (arg === '--set') Object.assign(asked.settings, setting(rest.shift()));
    else if (arg in PEERS) asked.peers.push(arg);
    else if (workloadsNamed(arg).length > 0) asked.workloads.push(...workloadsNamed(arg));
    else refuse(`"${arg}" is unknown`);
  }
  const isWhole = asked.workloads.length + asked.peers.length + Object.keys(asked.settings).length === 0;
  if (asked.workloads.length === 0) asked.workloads = Object.keys(WORKLOADS);
  const usual = Object.keys(PEERS).filter((name) => !PEERS[name].byNameOnly);
  if (asked.peers.length === 0) asked.peers = usual;
  return {
    ...asked,
    isWhole: !asked.from && isWhole && !asked.hurry && asked.runs >= 3 && asked.servers.length === 2,
  };
}

function setting(pair = '') {
  const [name, value] = pair.split('=');
  return Number.isFinite(Number(value)) && value
    ? { [name]: Number(value) }
    : refuse(`"${pair}" is no setting`);
}

function listOf(text = '', allowed) {
  const list = text.split(',');
  return list.every((one) => allowed.includes(one))
    ? list
    : refuse(`"${text}" is not of ${allowed.join(', ')}`);
}

function wholeNumber(text) {
  return Number.isInteger(Number(text)) && Number(text) > 0 ? Number(text) : refuse(`"${text}" is no number`);
}

function refuse(why) {
  throw new Error(`${why}.\n${USAGE}`);
}
