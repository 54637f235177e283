import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isLockAbortedError } from '../../lib/index.js';
import type { HeldLock } from '../../lib/recipes/held-lock.js';
import { Random } from '../chaos/random.js';
import { LockClient } from '../support/lock-client.js';
import { waitFor } from '../support/wait-for.js';
import { ZkAdmin } from '../support/zk-admin.js';
import { ZkProxy, type FaultAction } from '../support/zk-proxy.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

const PATIENT_MS = 20_000;
const FAULTS: readonly FaultAction[] = ['cut-before', 'cut-after-answer', 'drop-answer-and-cut'];
const hasNothing = ({ manager }: LockClient): boolean =>
  manager.stats().held + manager.stats().lingering === 0;
const numberOf = (name: string): number => Number(name.slice(-10));

/**
 * One session uses a key again and again, another one now and then. Contenders of another library come and go, the
 * parent is removed and made again with numbers near the old ones, connections break.
 */
class Crowd {
  readonly wrong: string[] = [];
  grants = 0;
  private readonly inside = new Map<object, { who: string; isShared: boolean; isHeld: () => boolean }>();
  private highest = 0n;
  private done = false;
  private busy = 0;
  private paused: Promise<void> | undefined;

  constructor(
    private readonly random: Random,
    private readonly clients: readonly LockClient[],
    private readonly proxies: readonly ZkProxy[],
    private readonly admin: ZkAdmin,
    private readonly key: string,
    private readonly isShared: boolean,
  ) {}

  private get parent(): string {
    return `/locks/${this.key}`;
  }

  async run(steps: number): Promise<void> {
    let left = steps;
    const caller = async (): Promise<void> => {
      while ((left -= 1) >= 0) await this.whileNotPaused(() => this.call());
    };
    const others = [this.strangers(), this.removals(), this.breaks()];
    await Promise.all([caller(), caller(), caller()]);
    this.done = true;
    await Promise.all(others);
  }

  private async call(): Promise<void> {
    const { random, key } = this;
    const client = this.clients[random.chance(0.9) ? 0 : 1]!;
    const abort = random.chance(0.15) ? new AbortController() : undefined;
    const waitMs = random.pick([0, 5, PATIENT_MS, PATIENT_MS]);
    const options = {
      waitMs,
      signal: abort?.signal,
      ...(this.isShared && { mode: random.pick(['read', 'write'] as const) }),
      ...random.pick([{}, { handoff: false as const }, { handoff: { max: 1 } }]),
      lingerMs: random.pick([0, 0, 0, 10]),
    };
    if (abort !== undefined) void sleep(random.between(0, 4)).then(() => abort.abort());
    try {
      if (random.chance(0.5)) {
        await client.locks.withLock(key, (lock) => this.use(lock), options);
      } else {
        await using lock = await client.locks.acquire(key, options);
        await this.use(lock);
      }
    } catch (error) {
      const isExpected = isLockAbortedError(error) ? abort !== undefined : waitMs < PATIENT_MS;
      if (!isExpected) this.wrong.push(String(error));
    }
  }

  private async use(lock: HeldLock): Promise<void> {
    const { fencingToken, mode } = lock;
    this.grants += 1;
    await this.section(
      mode,
      mode === 'read',
      this.random.between(-2, 4),
      () => lock.isHeld(),
      () => {
        if (mode !== 'read' && fencingToken <= this.highest) {
          this.wrong.push(`token ${fencingToken} after ${this.highest}`);
        }
        if (fencingToken > this.highest) this.highest = fencingToken;
      },
    );
  }

  private async section(
    who: string,
    isShared: boolean,
    ms: number,
    isHeld: () => boolean = () => true,
    onEnter: () => void = () => undefined,
  ): Promise<void> {
    for (const other of this.inside.values()) {
      const mayBeBoth = isShared && other.isShared;
      if (!mayBeBoth && isHeld() && other.isHeld()) this.wrong.push(`${who} beside ${other.who}`);
    }
    onEnter();
    const self = {};
    this.inside.set(self, { who, isShared, isHeld });
    if (ms > 0) await sleep(ms);
    this.inside.delete(self);
  }

  /** Contenders of another library, by the recipe in its simplest form; and children that are none. */
  private async strangers(): Promise<void> {
    while (!this.done) {
      await sleep(this.random.between(0, 60));
      await this.whileNotPaused(() => this.stranger());
    }
  }

  private async stranger(joined = this.joinAsStranger()): Promise<void> {
    const path = await joined;
    const isReader = path.includes('__READ__');
    if (!path.includes('plain-')) {
      await this.admin.waitForChildren(this.parent, (children) =>
        children.every(
          (child) =>
            child.startsWith('plain-') ||
            numberOf(child) >= numberOf(path) ||
            (isReader && !child.includes('__WRIT__')),
        ),
      );
      await this.section('stranger', isReader, this.random.between(0, 20));
    }
    await this.admin.delete(path);
  }

  private async joinAsStranger(): Promise<string> {
    const mark = this.isShared ? this.random.pick(['__READ__', '__WRIT__']) : 'lock-';
    const name = this.random.chance(0.2) ? 'plain-' : `_c_${randomUUID()}-${mark}`;
    await this.ensureParent();
    return this.admin.create(`${this.parent}/${name}`, '', 'ephemeral-sequential');
  }

  private async removals(): Promise<void> {
    const { admin, parent, random } = this;
    while (!this.done) {
      await sleep(random.between(30, 120));
      let goOn: () => void = () => undefined;
      this.paused = new Promise((resolve) => (goOn = resolve));
      // A node that is kept is the library's own although nobody is inside: who removes it has to wait until it is heard of.
      await waitFor(() => this.busy === 0 && this.clients.every(hasNothing), { everyMs: 1 });
      await this.ensureParent();
      const filler = (): Promise<string> => admin.create(`${parent}/filler-`, '', 'ephemeral-sequential');
      const next = numberOf(await filler());
      await admin.deleteTree(parent);
      const again = random.chance(0.3) ? 0 : Math.min(100, next - random.between(0, 2));
      if (again > 0) {
        await this.ensureParent();
        await Promise.all(Array.from({ length: again }, async () => admin.delete(await filler())));
      }
      const first = random.chance(0.7) ? this.joinAsStranger() : undefined;
      await first;
      this.paused = undefined;
      goOn();
      if (first !== undefined) await this.whileNotPaused(() => this.stranger(first));
    }
  }

  /** The library may make it at the same time. */
  private async ensureParent(): Promise<void> {
    await this.admin.ensure(this.parent).catch(() => undefined);
  }

  private async breaks(): Promise<void> {
    while (!this.done) {
      await sleep(this.random.between(50, 150));
      const op = this.random.pick(['create', 'delete', 'getData', 'getChildren2'] as const);
      const fault = this.random.pick(this.proxies).on({ op, path: /crowd/ }, this.random.pick(FAULTS));
      await sleep(20);
      fault.release();
    }
  }

  private async whileNotPaused(work: () => Promise<void>): Promise<void> {
    while (this.paused !== undefined) await this.paused;
    this.busy += 1;
    try {
      await work();
    } finally {
      this.busy -= 1;
    }
  }
}

describe('A session that is mostly alone with its key', () => {
  let server: ZooKeeperServer;
  let admin: ZkAdmin;
  let proxies: ZkProxy[];
  let clients: LockClient[];

  beforeAll(async () => {
    server = await ZooKeeperServer.start();
    admin = await ZkAdmin.connect(server.connectString);
    proxies = [await ZkProxy.start(server), await ZkProxy.start(server)];
    clients = await Promise.all(
      proxies.map(({ connectString }) => LockClient.open(connectString, { sessionTimeoutMs: 20_000 })),
    );
  });
  afterAll(async () => {
    for (const client of clients) await client[Symbol.asyncDispose]();
    for (const proxy of proxies) await proxy[Symbol.asyncDispose]();
    admin.close();
    await server[Symbol.asyncDispose]();
  });

  it.each([
    ['a mutex', false, 1],
    ['a mutex', false, 2],
    ['a read/write lock', true, 3],
    ['a read/write lock', true, 4],
  ])(
    'should have %s to itself, with rising tokens, whoever comes in between (%#)',
    async (_kind, isShared, seed) => {
      const key = `crowd-${seed}`;
      const crowd = new Crowd(new Random(seed), clients, proxies, admin, key, isShared);
      await crowd.run(600);
      expect(crowd.wrong).toEqual([]);
      expect(crowd.grants).toBeGreaterThan(100);
      const idle = { held: 0, lingering: 0, waiting: 0 };
      for (const { manager } of clients)
        await waitFor(() => manager.stats().held + manager.stats().lingering === 0);
      for (const { manager } of clients) expect(manager.stats()).toEqual(idle);
      expect(await admin.waitForChildren(`/locks/${key}`, 0)).toEqual([]);
    },
  );
});
