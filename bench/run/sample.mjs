// One sample: a peer runs one workload on one server.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProcessGuard } from '../../scripts/zookeeper/process-guard.mjs';
import { CpuTrace, QUIET_CORES, untilQuiet } from './cpu.mjs';
import { merged } from './merge.mjs';
import { PeerProcess } from './peer-process.mjs';

const TRIES = 2;
let keys = 0;

/** A sample taken while others used little CPU; the quieter of two otherwise. */
export async function quietSample(job) {
  let best;
  for (let tries = 0; tries < TRIES && !(best?.otherCores <= QUIET_CORES); tries += 1) {
    await untilQuiet();
    const sample = await takeSample(job);
    if (best === undefined || sample.otherCores < best.otherCores) best = sample;
  }
  return best;
}

/**
 * @param {object} job
 * @param {string[]} job.command of the peer's program
 * @param {string} job.peer its name
 * @param {import('../workloads.mjs').Workload} job.workload
 * @param {{ address: string, pids: () => number[] }} job.server
 * @param {object} job.settings what was said on the command line
 */
export async function takeSample({ command, peer, workload, server, settings }) {
  const { program, processes = 1 } = workload;
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'lock-bench-'));
  const guard = new ProcessGuard(folder); // removes it, also when this process is killed
  const told = { ...workload.settings, ...settings, folder, key: `k${process.pid}-${(keys += 1)}` };
  const trace = new CpuTrace(server.pids);
  const running = [];
  try {
    for (let index = 0; index < processes; index += 1) {
      const own = { ...told, index, barrier: 1 };
      const pairs = Object.entries(own).map(([name, value]) => `${name}=${value}`);
      running.push(new PeerProcess([...command, peer, program, server.address, ...pairs]));
    }
    const reports = Promise.all(running.map(({ report }) => report));
    if (beginsTogether(program)) {
      await Promise.race([Promise.all(running.map(({ ready }) => ready)), reports]);
      for (const one of running) one.go(`GO ${Date.now()}`);
    }
    const sample = merged(await reports);
    trace.stop();
    return { ...sample, ...figuresOf(workload, sample), ...cores(trace, sample) };
  } finally {
    trace.stop();
    for (const one of running) one.kill();
    rmSync(folder, { recursive: true, force: true });
    guard.release();
  }
}

/** Programs whose processes begin together say READY. */
function beginsTogether(program) {
  return ['apart', 'together', 'readers', 'drain'].includes(program);
}

function figuresOf({ program }, { n, startMs, endMs }) {
  if (program !== 'drain') return {};
  const drainSec = (endMs - startMs) / 1_000;
  return { drainSec, cyclesPerSec: n / drainSec };
}

function cores(trace, { startMs, endMs, cpuSec }) {
  const { server, machine } = trace.between(startMs, endMs);
  const clientCores = cpuSec / Math.max(0.1, (endMs - startMs) / 1_000);
  const otherCores = Math.max(0, machine - server - clientCores);
  return { clientCores, serverCores: server, otherCores };
}
