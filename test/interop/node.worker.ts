// This library, as told on standard input; the protocol is in support/peer.ts. Each actor is a client of its own.
import { closeSync, openSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HeldLock } from '../../lib/recipes/held-lock.js';
import { LockClient } from '../support/lock-client.js';

const WAIT_MS = 60_000;
const LONGEST_SECTION_MS = 3;
const ROOT = '/interop';
const [connectString = '', sessionTimeoutMs] = process.argv.slice(2);

class NodeActor {
  private readonly locks: HeldLock[] = [];
  private previous: Promise<void> = Promise.resolve();
  private readonly client: Promise<LockClient>;
  private readonly name: string;

  constructor(name: string) {
    this.name = `${name}@${process.pid}`;
    this.client = LockClient.open(connectString, {
      root: ROOT,
      waitMs: WAIT_MS,
      sessionTimeoutMs: Number(sessionTimeoutMs),
    });
  }

  /** One thing at a time. */
  handle(id: string, command: string, args: readonly string[]): void {
    this.previous = this.previous
      .then(() => this.answer(command, args))
      .then(
        (words) => console.log(`${id} ok ${words}`),
        (error: unknown) => console.log(`${id} error ${String(error).replaceAll('\n', ' ')}`),
      );
  }

  private async answer(command: string, args: readonly string[]): Promise<string> {
    const [kind = '', path = '', log = '', seconds] = args;
    switch (command) {
      case 'connect':
        return (await this.client).connection.info().sessionId ?? '';
      case 'acquire':
        this.locks.push(await this.take(kind, path));
        return this.ownNode(path);
      case 'release':
        await this.locks.pop()?.release();
        return '';
      case 'participants':
        return (await this.contenders(path)).map((contender) => contender.path).join(' ');
      case 'contend':
        return this.contend(kind, path, log, Number(seconds));
      default:
        throw new Error(command);
    }
  }

  private async take(kind: string, path: string): Promise<HeldLock> {
    const { locks } = await this.client;
    const [key = '', ...others] = path.split(',').map(keyOf);
    switch (kind) {
      case 'mutex':
        return locks.acquire(key);
      case 'read':
      case 'write':
        return locks.readWriteLock(key)[kind].acquire();
      case 'multi':
        return locks.multiLock([key, ...others]).acquire();
      default:
        throw new Error(kind);
    }
  }

  private async contenders(path: string) {
    const { locks } = await this.client;
    return locks.contenders(keyOf(path));
  }

  private async ownNode(path: string): Promise<string> {
    const [first = ''] = path.split(',');
    const own = (await this.contenders(first)).find(({ mine }) => mine);
    if (own?.state !== 'holding')
      throw new Error(`Holds ${first}, but contenders() says ${JSON.stringify(own)}`);
    return own.path;
  }

  /** Takes the lock again and again, and writes down when it is in and when it is out. */
  private async contend(kind: string, path: string, log: string, seconds: number): Promise<string> {
    const end = performance.now() + seconds * 1_000;
    const file = openSync(log, 'a');
    let rounds = 0;
    for (; performance.now() < end; rounds += 1) {
      const now = kind === 'read-write' ? (Math.random() < 0.7 ? 'read' : 'write') : kind;
      await using _lock = await this.take(now, path);
      const sequence = Number((await this.ownNode(path)).slice(-10));
      writeSync(file, `+ node ${this.name} ${now} ${sequence}\n`);
      await sleep(Math.random() * LONGEST_SECTION_MS);
      writeSync(file, `- node ${this.name} ${now} ${sequence}\n`);
    }
    closeSync(file);
    return String(rounds);
  }
}

const keyOf = (path: string) => path.slice(ROOT.length + 1);

const actors = new Map<string, NodeActor>();
const input = createInterface({ input: process.stdin });
input.on('line', (line) => {
  const [id = '', name = '', command = '', ...args] = line.split(' ');
  const actor = actors.get(name) ?? new NodeActor(name);
  actors.set(name, actor);
  actor.handle(id, command, args);
});
input.on('close', () => process.exit()); // the test has ended
