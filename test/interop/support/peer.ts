import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { ProcessGuard } from '../../../scripts/zookeeper/process-guard.mjs';

const KEPT_OUTPUT = 4_000;

interface Question {
  resolve: (answer: string) => void;
  reject: (error: Error) => void;
}

/**
 * A process, in whatever language, that locks as it is told. It reads lines `<id> <actor> <command> <argument>…` and
 * answers each with `<id> ok <words>` or `<id> error <message>`. An actor is one contender with a session of its own; it
 * does one thing at a time. Commands:
 * - `connect`: the session's id, `0x…`
 * - `acquire KIND PATH`, waiting: the full path of the node; `release`: gives back the latest
 * - `participants KIND PATH`: the nodes of those who hold and wait; in an election, and from kazoo, their names for themselves
 * - `revoke KIND PATH`: asks the holder to let go; `asked`: waits until the latest lock's holder is asked to
 * - `contend KIND PATH LOG SECONDS SECTION_MS`: takes it, keeps it for at most so long, and gives it back, again and again; the
 *   lines of the log are in grant-log.ts
 *
 * KIND is `mutex`, `read`, `write`, `read-write` (contend: one or the other, at random), `semaphore:<permits>`, `latch`, `selector`,
 * or `multi`, whose PATH is several, joined by commas. In Python: `kazoo`, kazoo's own lock, and on
 * Curator's names `mutex` and `selector`, kazoo's lock and election.
 */
export class Peer implements AsyncDisposable {
  private readonly child: ChildProcess;
  private readonly closed: Promise<unknown>;
  private readonly guard = new ProcessGuard();
  private readonly questions = new Map<string, Question>();
  private asked = 0;
  private actors = 0;
  private errors = '';
  private hasEnded = false;

  constructor(
    readonly language: string,
    command: string,
    args: readonly string[],
  ) {
    // jest's own NODE_OPTIONS are not for the child
    this.child = spawn(command, args, { env: { ...process.env, NODE_OPTIONS: '' } });
    if (this.child.pid !== undefined) this.guard.watch(this.child.pid);
    this.child.stdin?.on('error', () => undefined); // its end is told by 'close'
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => this.wroteError(text));
    createInterface({ input: this.child.stdout! }).on('line', (line) => this.answered(line));
    this.closed = Promise.race([once(this.child, 'close'), once(this.child, 'error')])
      .catch((error: unknown) => this.wroteError(String(error)))
      .then(() => this.ended());
  }

  /** A new contender. */
  actor(): Actor {
    return new Actor(this, String((this.actors += 1)));
  }

  /** Rejects with what the process says of the failure, or when it ends. The commands themselves are bounded. */
  ask(actor: string, command: string, ...args: readonly (string | number)[]): Promise<string> {
    const id = String((this.asked += 1));
    const answer = new Promise<string>((resolve, reject) => {
      if (this.hasEnded) reject(this.endError());
      this.questions.set(id, { resolve, reject });
      this.child.stdin?.write(`${[id, actor, command, ...args].join(' ')}\n`);
    });
    answer.catch(() => undefined); // a test that fails meanwhile does not wait for it
    return answer;
  }

  /** SIGKILL; settles when the process has ended. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  private answered(line: string): void {
    const [, id = '', outcome, text = ''] = /^(\S+) (ok|error) ?(.*)$/.exec(line) ?? [];
    const question = this.questions.get(id);
    this.questions.delete(id);
    if (outcome === 'ok') question?.resolve(text);
    else question?.reject(new Error(`${this.language}: ${text}`));
  }

  private wroteError(text: string): void {
    this.errors = (this.errors + text).slice(-KEPT_OUTPUT);
  }

  private ended(): void {
    this.guard.forget();
    this.guard.release();
    this.hasEnded = true;
    for (const { reject } of this.questions.values()) reject(this.endError());
    this.questions.clear();
  }

  private endError(): Error {
    return new Error(`The ${this.language} process ended.\n${this.errors}`);
  }
}

/** One contender in another process. */
export class Actor {
  constructor(
    private readonly peer: Peer,
    private readonly name: string,
  ) {}

  get language(): string {
    return this.peer.language;
  }

  connect(): Promise<string> {
    return this.peer.ask(this.name, 'connect');
  }

  /** @returns the full path of the node that holds the lock. */
  acquire(kind: string, path: string): Promise<string> {
    return this.peer.ask(this.name, 'acquire', kind, path);
  }

  async release(): Promise<void> {
    await this.peer.ask(this.name, 'release');
  }

  async revoke(kind: string, path: string): Promise<void> {
    await this.peer.ask(this.name, 'revoke', kind, path);
  }

  /** @returns why, if that was said. */
  asked(): Promise<string> {
    return this.peer.ask(this.name, 'asked');
  }

  async participants(kind: string, path: string): Promise<string[]> {
    const answer = await this.peer.ask(this.name, 'participants', kind, path);
    return answer.split(' ').filter((word) => word !== '');
  }

  /** @returns how often it had the lock. */
  async contend(
    kind: string,
    path: string,
    log: string,
    seconds: number,
    sectionMs: number,
  ): Promise<number> {
    return Number(await this.peer.ask(this.name, 'contend', kind, path, log, seconds, sectionMs));
  }
}
