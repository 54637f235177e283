// All runs, one sample after the other.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProcessGuard } from '../../scripts/zookeeper/process-guard.mjs';
import { Servers } from '../servers/index.mjs';
import { WORKLOADS } from '../workloads.mjs';
import { commandsOf, firstLine } from './commands.mjs';
import { groupsOf, inTurn, serverOf } from './jobs.mjs';
import { machine } from './machine.mjs';
import { quietSample, takeSample } from './sample.mjs';

/** @returns what report/ makes tables of: the machine, and all samples */
export async function measure(asked) {
  const folder = mkdtempSync(join(tmpdir(), 'lock-bench-'));
  const guard = new ProcessGuard(folder); // removes it, also when this process is killed
  const servers = new Servers();
  const samples = [];
  try {
    const commands = await commandsOf(asked.peers, folder, console.log);
    const groups = groupsOf({ ...asked, peers: [...commands.keys()] });
    for (let run = 0; run < asked.runs; run += 1) {
      for (const group of groups) {
        for (const peer of inTurn(group.peers, run)) {
          const sample = await attempt({ ...group, peer, run, servers, commands, asked });
          if (sample !== undefined) samples.push(sample);
        }
      }
    }
    return { machine: machine(servers.versions()), runs: asked.runs, settings: asked.settings, samples };
  } finally {
    await servers[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
    guard.release();
  }
}

async function attempt({ id, server, peer, run, servers, commands, asked }) {
  const what = `run ${run + 1} ${id} ${server} ${peer}`;
  try {
    const place = await servers.get(serverOf(peer, server));
    const job = {
      command: commands.get(peer),
      peer,
      workload: WORKLOADS[id],
      server: place,
      settings: asked.settings,
    };
    const sample = await (asked.hurry ? takeSample : quietSample)(job);
    console.log(`${what}: ${lineOf(sample)}`);
    return { workload: id, server, peer, run, ...sample };
  } catch (error) {
    console.log(`${what} is left out: ${firstLine(error)}`);
    return undefined;
  }
}

function lineOf({ cyclesPerSec, p50ms, p99ms, violations = 0, errors = 0, otherCores }) {
  const ms = (value) => (value === null ? '-' : value.toFixed(2));
  const wrong = violations + errors > 0 ? `, ${violations} violations, ${errors} errors` : '';
  const disturbed = otherCores > 0.35 ? `, others used ${otherCores.toFixed(2)} cores` : '';
  return `${cyclesPerSec.toFixed(0)} cycles/s, p50 ${ms(p50ms)} ms, p99 ${ms(p99ms)} ms${wrong}${disturbed}`;
}
