// Who uses the processor, from /proc; nothing is known where there is none.
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const KNOWN = existsSync('/proc/stat');
const TICKS_PER_SECOND = 100;
/** Cores that other programs may use during a sample. */
export const QUIET_CORES = 0.35;
const QUIET_WAIT_S = 30;

/** Seconds of CPU that a process has used; 0 when it is gone. */
export function cpuOf(pid) {
  try {
    const [, , , , , , , , , , , user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(user) + Number(system)) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}

/** Seconds of CPU that the whole machine has used. */
export function cpuOfMachine() {
  if (!KNOWN) return 0;
  const [user, nice, system, , , irq, softirq, steal] = readFileSync('/proc/stat', 'utf8')
    .split('\n')[0]
    .trim()
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return (user + nice + system + irq + softirq + steal) / TICKS_PER_SECOND;
}

/** Waits until the machine has been quiet for a second, at most half a minute. */
export async function untilQuiet() {
  for (let i = 0; i < QUIET_WAIT_S; i += 1) {
    const before = cpuOfMachine();
    await sleep(1_000);
    if (cpuOfMachine() - before < QUIET_CORES) return;
  }
}

/** Records every tenth of a second what the server and the machine have used. */
export class CpuTrace {
  #points = [];
  #timer;

  constructor(pids) {
    const probe = () =>
      this.#points.push({
        at: Date.now(),
        machine: cpuOfMachine(),
        server: pids().reduce((sum, pid) => sum + cpuOf(pid), 0),
      });
    probe();
    this.#timer = setInterval(probe, 100);
    this.stop = () => {
      clearInterval(this.#timer);
      probe();
    };
  }

  /** Cores that the server and the machine used between two times. */
  between(startMs, endMs) {
    const [from, to] = [this.#near(startMs), this.#near(endMs)];
    const seconds = Math.max(0.1, (to.at - from.at) / 1_000);
    return { server: (to.server - from.server) / seconds, machine: (to.machine - from.machine) / seconds };
  }

  #near(ms) {
    return this.#points.reduce((best, point) =>
      Math.abs(point.at - ms) < Math.abs(best.at - ms) ? point : best,
    );
  }
}
