// This library, as told on standard input; the protocol is in support/peer.ts. Each actor is a client of its own.
import { closeSync, openSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HeldLock } from '../../lib/recipes/held-lock.js';
import type { LeaderElection } from '../../lib/recipes/leader-election.js';
import { LockClient } from '../support/lock-client.js';

const WAIT_MS = 60_000;
const [connectString = '', sessionTimeoutMs] = process.argv.slice(2);

/** What an actor holds. */
interface Held {
  release(): Promise<void>;
  /** Resolves to the reason when somebody asks the holder to let go. */
  readonly asked?: Promise<string>;
}

class NodeActor {
  private readonly grants: Held[] = [];
  private previous: Promise<void> = Promise.resolve();
  private readonly client: Promise<LockClient>;
  private readonly name: string;

  constructor(name: string) {
    this.name = `${name}@${process.pid}`;
    this.client = LockClient.open(connectString, {
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
    const { locks, connection } = await this.client;
    const [kind = '', path = '', ...contention] = args;
    switch (command) {
      case 'connect':
        return connection.info().sessionId ?? '';
      case 'acquire':
        this.grants.push(await this.take(kind, path));
        return this.ownNode(kind, path);
      case 'release':
        await this.grants.pop()?.release();
        return '';
      case 'asked':
        return (await this.grants.at(-1)?.asked) ?? '';
      case 'revoke':
        return String(await locks.requestRelease({ path }, { reason: this.name }));
      case 'participants':
        return (await locks.contenders({ path })).map((contender) => contender.path).join(' ');
      case 'contend':
        return this.contend(kind, path, contention);
      default:
        throw new Error(command);
    }
  }

  private async take(kind: string, joined: string): Promise<Held> {
    const { locks } = await this.client;
    const paths = joined.split(',').map((path) => ({ path }));
    const [path = { path: '' }] = paths;
    const [name, permits] = kind.split(':');
    switch (name) {
      case 'mutex':
      case 'kazoo':
        return held(await locks.acquire(path));
      case 'read':
      case 'write':
        return locks.readWriteLock(path)[name].acquire();
      case 'semaphore':
        return locks.semaphore(path, Number(permits)).acquire();
      case 'latch':
        return latch(locks.leaderElection(path));
      case 'selector':
        return selector(locks.leaderElection(path));
      case 'multi':
        return locks.multiLock(paths).acquire();
      default:
        throw new Error(kind);
    }
  }

  /** The node by which this client holds the lock. */
  private async ownNode(kind: string, joined: string): Promise<string> {
    const { locks } = await this.client;
    const [first = ''] = joined.split(',');
    const path = kind.startsWith('semaphore') ? `${first}/leases` : first;
    const own = (await locks.contenders({ path })).find(({ mine }) => mine);
    if (own === undefined) throw new Error(`Holds ${first}, but has no node in ${path}`);
    return own.path;
  }

  /** Takes the lock again and again, and writes down when it is in and when it is out. */
  private async contend(kind: string, path: string, contention: readonly string[]): Promise<string> {
    const [log = '', seconds, sectionMs] = contention;
    const end = performance.now() + Number(seconds) * 1_000;
    const file = openSync(log, 'a');
    let rounds = 0;
    for (; performance.now() < end; rounds += 1) {
      const now = kind === 'read-write' ? (Math.random() < 0.7 ? 'read' : 'write') : kind;
      const lock = await this.take(now, path);
      try {
        const sequence = Number((await this.ownNode(now, path)).slice(-10));
        writeSync(file, `+ node ${this.name} ${now} ${sequence}\n`);
        await sleep(Math.random() * Number(sectionMs));
        writeSync(file, `- node ${this.name} ${now} ${sequence}\n`);
      } finally {
        await lock.release();
      }
    }
    closeSync(file);
    return String(rounds);
  }
}

function held(lock: HeldLock): Held {
  const asked = new Promise<string>((resolve) => {
    lock.on('release-requested', ({ reason }) => resolve(reason ?? ''));
  });
  return { asked, release: () => lock.release() };
}

/** Leads until it leaves the election. */
async function latch(election: LeaderElection): Promise<Held> {
  election.start();
  await election.waitForLeadership();
  return { release: () => election.close() };
}

/** Leads for as long as a function runs. */
function selector(election: LeaderElection): Promise<Held> {
  return new Promise((resolve, reject) => {
    const reign = election.run(
      () =>
        new Promise<void>((end) => {
          const release = async () => {
            end();
            await reign;
          };
          resolve({ release });
        }),
    );
    reign.catch(reject);
  });
}

const actors = new Map<string, NodeActor>();
const input = createInterface({ input: process.stdin });
input.on('line', (line) => {
  const [id = '', name = '', command = '', ...args] = line.split(' ');
  const actor = actors.get(name) ?? new NodeActor(name);
  actors.set(name, actor);
  actor.handle(id, command, args);
});
input.on('close', () => process.exit()); // the test has ended
