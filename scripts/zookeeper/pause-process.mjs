// SIGSTOP, and certainty about it: on a busy machine a process runs on for a while after the signal was sent.
import { readdirSync, readFileSync } from 'node:fs';

const LONGEST_WAIT_MS = 5_000;

/** Stops a process where it stands. When this returns, none of its threads runs (on Linux; elsewhere it will soon be so). */
export function pauseProcess(pid) {
  process.kill(pid, 'SIGSTOP');
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let waited = 0; waited < LONGEST_WAIT_MS && !standsStill(pid); waited++) Atomics.wait(pause, 0, 0, 1);
}

function standsStill(pid) {
  try {
    return readdirSync(`/proc/${pid}/task`).every((thread) => {
      const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
      const state = stat[stat.lastIndexOf(')') + 2];
      return state === 'T' || state === 'Z';
    });
  } catch {
    return true; // no /proc here, or the process is gone
  }
}
