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
  ['semaphore:1', 'semaphore:1'],
  ['latch', 'latch'],
  ['selector', 'selector'],
  ['multi', 'multi'],
  ['mutex', 'multi'],
] as const;
const DIRECTIONS = [
  ['java', 'node'],
  ['node', 'java'],
] as const;
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

  /** Holder and waiter as a third party sees them, the first one first. Curator tells one kind of node at a time, leases in no order. */
  async function seenBy(looker: Actor, kinds: readonly string[], path: string): Promise<string[]> {
    const askedAs = kinds.map((kind) => (kind === 'multi' ? 'mutex' : kind));
    const seen = await Promise.all(askedAs.map((kind) => looker.participants(kind, path)));
    const both = [...new Set(seen.flat())];
    const bySequence = (a: string, b: string) => a.slice(-10).localeCompare(b.slice(-10));
    return kinds.includes('read') || isSemaphore(kinds[0]!) ? both.sort(bySequence) : both;
  }

  const isSemaphore = (kind: string) => kind.startsWith('semaphore');
  const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);

  describe.each(DIRECTIONS)('%s before %s', (first, second) => {
    it.each(MEETINGS)(
      'should both see who holds and who waits, and wake by a release: %s before %s',
      async (held, wanted) => {
        const path = `/curators/${first}-${held}-${wanted}`.replaceAll(':', '-');
        const queue = isSemaphore(held) ? `${path}/leases` : path;
        const pathFor = (kind: string) => (kind === 'multi' ? `${path},${path}-second` : path);
        const [holder, waiter] = [peers[first].actor(), peers[second].actor()];

        const holding = await holder.acquire(held, pathFor(held));
        const waiting = waiter.acquire(wanted, pathFor(wanted));
        await admin.waitForChildren(queue, 2);
        const seenByNode = await seenBy(peers.node.actor(), [held, wanted], path);
        expect(seenByNode).toEqual([holding, expect.stringMatching(`^${path}/`)]);
        const seenByJava = await seenBy(peers.java.actor(), [held, wanted], path);
        expect(seenByJava).toHaveLength(2);
        // in an election Curator tells what the nodes hold: an id of Curator's candidate, our record
        const leader = first === 'java' ? '@' : '{"v":1,';
        const isElection = held === 'latch' || held === 'selector';
        expect(seenByJava[0]).toContain(isElection ? encodeURIComponent(leader) : holding);

        await holder.release();
        await expect(waiting).resolves.not.toBe(holding);
        await waiter.release();
        await admin.waitForChildren(queue, 0);
      },
      TEST_MS,
    );

    it.each([
      ['read', 'write'],
      ['semaphore:3', 'semaphore:3'],
    ])(
      'should let three in together, %s, and nobody else, %s',
      async (kind, rival) => {
        const path = `/curators/${first}-three-${kind}`.replaceAll(':', '-');
        const [door, inside] = isSemaphore(kind) ? [`${path}/locks`, `${path}/leases`] : [path, path];
        const three = [peers[first].actor(), peers[second].actor(), peers[first].actor()];
        const held = [];
        for (const actor of three) held.push(nameOf(await actor.acquire(kind, path)));
        await admin.waitForChildren(door, door === inside ? 3 : 0);
        const last = peers[second].actor();
        const waiting = last.acquire(rival, path);
        await admin.waitForChildren(door, door === inside ? 4 : 1);
        expect(await admin.children(inside)).toEqual(expect.arrayContaining(held));
        for (const actor of three) await actor.release();
        expect(await admin.children(inside)).toEqual([nameOf(await waiting)]);
        await last.release();
      },
      TEST_MS,
    );

    it(
      'should ask the other one to let go',
      async () => {
        const path = `/curators/${first}-asked`;
        const [holder, other] = [peers[first].actor(), peers[second].actor()];
        const holding = await holder.acquire('mutex', path);
        await other.revoke('mutex', path);
        await holder.asked();
        expect(await seenBy(other, ['mutex'], path)).toEqual([holding]);
        await holder.release();
      },
      TEST_MS,
    );
  });

  it('should tell what is known of a contender of another library', async () => {
    const path = '/curators/known';
    const java = peers.java.actor();
    const sessionId = await java.connect();
    const node = await java.acquire('mutex', path);
    await using client = await LockClient.open(languages.server.connectString);
    await expect(client.locks.tryAcquire({ path })).resolves.toBeNull();
    const [holder, ...others] = await client.locks.contenders({ path });
    expect(others).toEqual([]);
    expect(holder).toMatchObject({ position: 1, state: 'holding', mode: 'exclusive', mine: false });
    expect(holder).toMatchObject({ sequence: Number(node.slice(-10)), sessionId, path: node });
    expect(holder).not.toHaveProperty('host');
    await java.release();
  });

  it('should show the id of a candidate of LeaderLatch', async () => {
    const path = '/curators/latch-id';
    const java = peers.java.actor();
    await java.acquire('latch', path);
    await using client = await LockClient.open(languages.server.connectString);
    const [leader] = await client.locks.contenders({ path });
    expect(leader).toMatchObject({ mode: 'leader', state: 'holding', data: expect.stringContaining('@') });
    await java.release();
  });
});
