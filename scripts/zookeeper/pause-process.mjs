// SIGSTOP, and certainty about it: on a busy machine a process runs on for a while after the signal was sent.
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const LONGEST_WAIT_MS = 5_000;

/** Stops a process where it stands. When this returns, none of its threads runs (on Linux; elsewhere it will soon be so). */
export function pauseProcess(pid) {
  process.kill(pid, 'SIGSTOP');
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let waited = 0; waited < LONGEST_WAIT_MS && !standsStill(pid); waited++) Atomics.wait(pause, 0, 0, 1);
}

function standsStill(pid) {
  const threads = existsSync(`/proc/${pid}/task`) ? readdirSync(`/proc/${pid}/task`) : [];
  return threads.every((thread) => ['T', 'Z', undefined].includes(stateOf(pid, thread)));
}

/** `T` is stopped, `Z` has ended; undefined when the thread is gone. */
function stateOf(pid, thread) {
  try {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
    return stat[stat.lastIndexOf(')') + 2];
  } catch {
    return undefined;
  }
}
