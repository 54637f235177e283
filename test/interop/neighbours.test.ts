import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LockClient } from '../support/lock-client.js';
import { ZkAdmin } from '../support/zk-admin.js';
import { Languages } from './support/languages.js';
import type { Actor, Peer } from './support/peer.js';

/** How the first one takes the lock and how the second one, who has to wait for it. */
const MEETINGS = [
  ['mutex', 'mutex'],
  ['write', 'write'],
  ['write', 'read'],
  ['read', 'write'],
  ['multi', 'multi'],
  ['mutex', 'multi'],
] as const;
const DIRECTIONS = [
  ['java', 'node'],
  ['node', 'java'],
] as const;
const SHORT_SESSION_MS = 2_000;
const TEST_MS = 90_000;

describe('Java with Curator beside this library', () => {
  let languages: Languages;
  let admin: ZkAdmin;
  let peers: Record<'java' | 'node', Peer>;

  beforeAll(async () => {
    languages = await Languages.start();
    admin = await ZkAdmin.connect(languages.server.connectString);
    peers = { java: languages.java(), node: languages.node() };
  }, 120_000);
  afterAll(async () => {
    admin.close();
    await languages[Symbol.asyncDispose]();
  });

  /** The contenders' nodes in the order of the queue. */
  async function nodesSeenBy(actor: Actor, path: string): Promise<string[]> {
    const kinds = path.includes('read-write') ? ['read', 'write'] : ['mutex']; // Curator looks at one kind at a time
    const seen = await Promise.all(kinds.map((kind) => actor.participants(kind, path)));
    return [...new Set(seen.flat())].sort((a, b) => a.slice(-10).localeCompare(b.slice(-10)));
  }

  describe.each(DIRECTIONS)('%s before %s', (first, second) => {
    it.each(MEETINGS)(
      'should be seen by both and be woken by a release: %s before %s',
      async (held, wanted) => {
        const name = held === 'read' || wanted === 'read' || held === 'write' ? 'read-write' : 'mutex';
        const path = `/interop/${first}-${held}-${wanted}-${name}`;
        const pathFor = (kind: string) => (kind === 'multi' ? `${path},${path}-second` : path);
        const [holder, waiter] = [peers[first].actor('a'), peers[second].actor('a')];

        const holding = await holder.acquire(held, pathFor(held));
        const waiting = waiter.acquire(wanted, pathFor(wanted));
        await admin.waitForChildren(path, 2);
        for (const looker of [peers.java.actor('looker'), peers.node.actor('looker')]) {
          const seen = await nodesSeenBy(looker, path);
          expect(seen).toEqual([holding, expect.stringMatching(`^${path}/`)]);
        }
        await holder.release();
        await expect(waiting).resolves.not.toBe(holding);
        await waiter.release();
        await admin.waitForChildren(path, 0);
      },
      TEST_MS,
    );

    it(
      'should let readers in beside each other, and no writer',
      async () => {
        const path = `/interop/${first}-readers`;
        const readers = [peers[first].actor('a'), peers[second].actor('a'), peers[first].actor('b')];
        for (const reader of readers) await reader.acquire('read', path);
        const writing = peers[second].actor('b').acquire('write', path);
        await admin.waitForChildren(path, 4);
        for (const reader of readers) await reader.release();
        const writer = await writing;
        expect(await admin.children(path)).toEqual([writer.slice(path.length + 1)]);
        await peers[second].actor('b').release();
      },
      TEST_MS,
    );

    it(
      'should be freed when the process that holds is killed',
      async () => {
        const path = `/interop/${first}-killed-holder`;
        await using victim = languages[first](SHORT_SESSION_MS);
        const waiter = peers[second].actor('a');
        const holding = await victim.actor('a').acquire('mutex', path);
        const waiting = waiter.acquire('mutex', path);
        await admin.waitForChildren(path, 2);
        await victim.kill();
        await expect(waiting).resolves.not.toBe(holding);
        expect(await admin.children(path)).toHaveLength(1);
        await waiter.release();
      },
      TEST_MS,
    );

    it(
      'should keep its place when a process that waits before it is killed',
      async () => {
        const path = `/interop/${first}-killed-waiter`;
        await using victim = languages[first](SHORT_SESSION_MS);
        const [holder, waiter] = [peers[second].actor('a'), peers[second].actor('b')];
        await holder.acquire('mutex', path);
        await victim.actor('a').connect();
        victim
          .actor('a')
          .acquire('mutex', path)
          .catch(() => undefined); // its process ends
        await admin.waitForChildren(path, 2);
        let granted = false;
        const waiting = waiter.acquire('mutex', path).finally(() => (granted = true));
        await admin.waitForChildren(path, 3);
        await victim.kill();
        await admin.waitForChildren(path, 2);
        await peers[second].actor('looker').participants('mutex', path); // time enough for a grant to be told
        expect(granted).toBe(false);
        await holder.release();
        await waiting;
        await waiter.release();
      },
      TEST_MS,
    );
  });

  it('should tell what is known of a contender of another library', async () => {
    const path = '/interop/known';
    const java = peers.java.actor('a');
    const sessionId = await java.connect();
    const node = await java.acquire('mutex', path);
    await using client = await LockClient.open(languages.server.connectString, { root: '/interop' });
    await expect(client.locks.tryAcquire('known')).resolves.toBeNull();
    const [holder, ...others] = await client.locks.contenders('known');
    expect(others).toEqual([]);
    expect(holder).toMatchObject({ position: 1, state: 'holding', mode: 'exclusive', mine: false });
    expect(holder).toMatchObject({ sequence: Number(node.slice(-10)), sessionId, path: node });
    expect(holder).not.toHaveProperty('host');
    await java.release();
  });
});
