import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ZkAdmin } from '../support/zk-admin.js';
import { contend, CONTENTION_MS, GrantTable, type Fight } from './support/contention.js';
import { alone, atMost, oneWriterOrReaders } from './support/grant-log.js';
import { Languages } from './support/languages.js';
import type { Actor } from './support/peer.js';

const BOTH = ['java', 'node'];
const READ_WRITE = ['java read', 'java write', 'node read', 'node write'];
const MULTI = '/interop/multi-1,/interop/multi-2,/interop/multi-3';
const LOCKS: (Fight & { shares: string[]; atOnce?: number })[] = [
  { kind: 'mutex', path: '/interop/mutex', company: alone, shares: BOTH },
  {
    kind: 'read-write',
    path: '/interop/read-write',
    company: oneWriterOrReaders,
    shares: READ_WRITE,
    atOnce: 2,
  },
  { kind: 'semaphore:1', path: '/interop/semaphore-1', company: alone, shares: BOTH },
  // kept for long enough that several permits are out at a time
  { kind: 'semaphore:3', path: '/interop/semaphore-3', company: atMost(3), shares: BOTH, sectionMs: 50 },
  { kind: 'latch', path: '/interop/latch', company: alone, shares: BOTH },
  { kind: 'selector', path: '/interop/selector', company: alone, shares: BOTH },
  { kind: 'multi', path: MULTI, company: alone, shares: BOTH },
];

describe('Java with Curator and this library', () => {
  let languages: Languages;
  let admin: ZkAdmin;
  let actors: Actor[];
  const table = new GrantTable();

  beforeAll(async () => {
    // an empty parent that is reaped between two grants would begin its sequence again
    languages = await Languages.start({ containerCheckMs: 3_600_000 });
    admin = await ZkAdmin.connect(languages.server.connectString);
    const peers = [languages.java(), languages.java(), languages.node(), languages.node()];
    actors = peers.flatMap((peer) => [peer.actor(), peer.actor()]);
  }, 180_000);
  afterAll(async () => {
    admin.close();
    await languages[Symbol.asyncDispose]();
    process.stdout.write(`\n${table.toString()}\n\n`);
  });

  it.each(LOCKS)(
    'should contend on one $kind without overlap, in the order of the nodes, and leave none behind',
    async (lock) => {
      const contention = await contend(actors, lock, languages.folder);
      table.add(lock.kind, contention);
      expect(contention.violations).toEqual([]);
      expect(contention.together).toBeGreaterThanOrEqual(lock.atOnce ?? 1);
      expect([...contention.shares.keys()].sort()).toEqual(lock.shares);
      for (const path of lock.path.split(',')) {
        const queues = lock.kind.startsWith('semaphore') ? [`${path}/locks`, `${path}/leases`] : [path];
        for (const queue of queues) await admin.waitForChildren(queue, 0);
      }
    },
    CONTENTION_MS,
  );
});
