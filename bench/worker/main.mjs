// node main.mjs PEER PROGRAM SERVER [name=value ...]: runs one workload with a peer in JavaScript and prints one line.
import { PEERS } from '../peers/index.mjs';
import { cold } from './cold.mjs';
import { drain } from './drain.mjs';
import { footprint } from './footprint.mjs';
import { handoff } from './handoff.mjs';
import { herd } from './herd.mjs';
import { sequential } from './sequential.mjs';
import { readSettings } from './settings.mjs';
import { apart, readers, together } from './concurrent.mjs';

const PROGRAMS = { sequential, apart, together, handoff, herd, readers, drain, cold, footprint };
const CLOSE_MS = 2_000;

const [peerName, program, server, ...rest] = process.argv.slice(2);
const settings = readSettings(rest);
const { module, settings: own } = PEERS[peerName];
const { peer } = await import(`../peers/${module}`);
const { open, pollMs = 0 } = peer(own);
const sessions = [];

/** What a program gets. */
const bench = {
  settings,
  server,
  /** How often a peer that polls looks, in ms; 0 for the others. */
  pollMs,
  async connect() {
    const session = await open(server);
    sessions.push(session);
    return session;
  },
  /** Waits for the others of several processes. Resolves to what the driver said, `GO <epoch ms>`. */
  async ready() {
    if (!settings.barrier) return undefined;
    process.stdout.write('READY\n');
    const said = await new Promise((resolve) => process.stdin.once('data', resolve));
    return Number(String(said).trim().split(' ')[1]);
  },
};

const report = await PROGRAMS[program](bench);
process.stdout.write(`${JSON.stringify(report)}\n`);
setTimeout(process.exit, CLOSE_MS, 0);
await Promise.allSettled(sessions.map((session) => session.close()));
process.stdout.write('', () => process.exit(0));
