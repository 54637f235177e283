import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LockClient } from '../support/lock-client.js';
import { ZkAdmin } from '../support/zk-admin.js';
import { contend, CONTENTION_MS, GrantTable } from './support/contention.js';
import { alone } from './support/grant-log.js';
import { Languages } from './support/languages.js';
import type { Peer } from './support/peer.js';

/**
 * kazoo's own names (`…__lock__…`), to which `extra_lock_patterns` adds ours: for kazoo and this library. Curator's names, by
 * a subclass of kazoo's lock, also in kazoo's election: for all three.
 */
const CONTENTIONS = [
  { kind: 'kazoo', path: '/kazoo/own-names', company: alone, together: ['node', 'python'] },
  { kind: 'mutex', path: '/kazoo/curators-names', company: alone, together: ['java', 'node', 'python'] },
  { kind: 'selector', path: '/kazoo/election', company: alone, together: ['java', 'node', 'python'] },
] as const;
const KINDS = ['kazoo', 'mutex'];
const DIRECTIONS = [
  ['python', 'node'],
  ['node', 'python'],
] as const;
const SHORT_SESSION_MS = 2_000;
const TEST_MS = 90_000;

describe('Python with kazoo beside this library', () => {
  let languages: Languages;
  let admin: ZkAdmin;
  let peers: Record<'java' | 'node' | 'python', Peer>;
  const table = new GrantTable();

  beforeAll(async () => {
    languages = await Languages.start({ containerCheckMs: 3_600_000 });
    admin = await ZkAdmin.connect(languages.server.connectString);
    peers = { java: languages.java(), node: languages.node(), python: languages.python() };
  }, 180_000);
  afterAll(async () => {
    admin.close();
    await languages[Symbol.asyncDispose]();
    process.stdout.write(`\n${table.toString()}\n\n`);
  });

  it.each(CONTENTIONS)(
    'should contend on one lock ($kind: $together) without overlap, in the order of the nodes, and leave none behind',
    async (lock) => {
      const actors = lock.together.flatMap((name) => Array.from({ length: 3 }, () => peers[name].actor()));
      const contention = await contend(actors, lock, languages.folder);
      table.add(lock.kind, contention);
      expect(contention.violations).toEqual([]);
      expect([...contention.shares.keys()].sort()).toEqual(lock.together);
      await admin.waitForChildren(lock.path, 0);
    },
    CONTENTION_MS,
  );

  describe.each(DIRECTIONS)('%s before %s', (first, second) => {
    it.each(KINDS)(
      'should both see who holds and who waits, and wake by a release (%s)',
      async (kind) => {
        const path = `/kazoo/${first}-${kind}`;
        const [holder, waiter] = [peers[first].actor(), peers[second].actor()];
        const holding = await holder.acquire(kind, path);
        const waiting = waiter.acquire(kind, path);
        await admin.waitForChildren(path, 2);
        const nodes = await peers.node.actor().participants(kind, path);
        expect(nodes).toEqual([holding, expect.stringMatching(`^${path}/`)]);
        // kazoo tells what the nodes hold: an identifier of kazoo's, our record
        const known = { python: /^\d+%40/, node: /^%7B%22v%22%3A1/ };
        expect(await peers.python.actor().participants(kind, path)).toEqual([
          expect.stringMatching(known[first]),
          expect.stringMatching(known[second]),
        ]);
        await holder.release();
        await expect(waiting).resolves.not.toBe(holding);
        await waiter.release();
      },
      TEST_MS,
    );

    it.each(KINDS)(
      'should be freed when the process that holds is killed (%s)',
      async (kind) => {
        const path = `/kazoo/killed-${first}-${kind}`;
        const waiter = peers[second].actor();
        await using victim = languages[first](SHORT_SESSION_MS);
        const holding = await victim.actor().acquire(kind, path);
        const waiting = waiter.acquire(kind, path);
        await admin.waitForChildren(path, 2);
        await victim.kill();
        await expect(waiting).resolves.not.toBe(holding);
        await waiter.release();
      },
      TEST_MS,
    );
  });

  it("should refuse a mutex on a path where kazoo's read lock is in use (B18)", async () => {
    const path = '/kazoo/read-lock';
    const reader = peers.python.actor();
    await reader.acquire('kazoo-read', path);
    await using client = await LockClient.open(languages.server.connectString);
    await expect(client.locks.acquire({ path })).rejects.toMatchObject({ code: 'ZK_LOCK_CONFIG' });
    await reader.release();
  });
});
