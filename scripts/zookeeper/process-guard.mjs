// Ends a child process when its parent is gone, however the parent died: SIGKILL leaves no time for clean-up, so a tiny
// shell holds a pipe to the parent, and does the clean-up when that pipe breaks.
import { spawn } from 'node:child_process';

const SCRIPT = `
pid=
while read -r line; do pid=$line; done
[ -z "$pid" ] || kill -KILL "$pid"
[ -z "$1" ] || rm -rf -- "$1"
`;

/** Kills the watched process and removes the folder as soon as this process has ended. */
export class ProcessGuard {
  #shell;

  /** @param {string} [folder] removed with everything in it at the end */
  constructor(folder = '') {
    // detached: a Ctrl-C in the terminal must not take the guard away
    this.#shell = spawn('sh', ['-c', SCRIPT, 'process-guard', folder], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    this.#shell.on('error', () => undefined);
    this.#shell.stdin.on('error', () => undefined);
    this.#shell.unref();
    this.#shell.stdin.unref();
  }

  /** @param {number} pid the process to kill, in place of the one watched before */
  watch(pid) {
    this.#shell.stdin.write(`${pid}\n`);
  }

  /** The watched process has ended: its pid may soon be somebody else's. */
  forget() {
    this.#shell.stdin.write('\n');
  }

  /** Ends the guard now: it kills what it watches and removes its folder. */
  release() {
    this.#shell.stdin.end();
  }
}
