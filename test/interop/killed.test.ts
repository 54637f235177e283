import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ZkAdmin } from '../support/zk-admin.js';
import { Languages } from './support/languages.js';
import type { Peer } from './support/peer.js';

const DIRECTIONS = [
  ['java', 'node'],
  ['node', 'java'],
] as const;
/** How the one who is killed holds the lock, and how the other one wants it. */
const KINDS = [
  ['mutex', 'mutex'],
  ['read', 'write'],
  ['semaphore:1', 'semaphore:1'],
  ['latch', 'latch'],
] as const;
const SHORT_SESSION_MS = 2_000;
const TEST_MS = 90_000;

describe('A process that is killed', () => {
  let languages: Languages;
  let admin: ZkAdmin;
  let survivors: Record<'java' | 'node', Peer>;

  beforeAll(async () => {
    languages = await Languages.start();
    admin = await ZkAdmin.connect(languages.server.connectString);
    survivors = { java: languages.java(), node: languages.node() };
  }, 120_000);
  afterAll(async () => {
    admin.close();
    await languages[Symbol.asyncDispose]();
  });

  describe.each(DIRECTIONS)('of %s', (killed, other) => {
    it.each(KINDS)(
      'should free a waiter of the other language: %s before %s',
      async (held, wanted) => {
        const path = `/curators/${killed}-${held}`.replace(':', '-');
        const queue = held.startsWith('semaphore') ? `${path}/leases` : path;
        const waiter = survivors[other].actor();
        await using victim = languages[killed](SHORT_SESSION_MS);
        const holding = await victim.actor().acquire(held, path);
        const waiting = waiter.acquire(wanted, path);
        await admin.waitForChildren(queue, 2);
        await victim.kill();
        await expect(waiting).resolves.not.toBe(holding);
        expect(await admin.children(queue)).toHaveLength(1);
        await waiter.release();
      },
      TEST_MS,
    );

    it(
      'should not let anyone in when it was waiting, too',
      async () => {
        const path = `/curators/${killed}-waiter`;
        const [holder, waiter] = [survivors[other].actor(), survivors[other].actor()];
        await using victim = languages[killed](SHORT_SESSION_MS);
        const dying = victim.actor();
        await dying.connect();
        await holder.acquire('mutex', path);
        dying.acquire('mutex', path).catch(() => undefined); // its process ends
        await admin.waitForChildren(path, 2);
        let granted = false;
        const waiting = waiter.acquire('mutex', path).finally(() => (granted = true));
        await admin.waitForChildren(path, 3);
        await victim.kill();
        await admin.waitForChildren(path, 2);
        await survivors[other].actor().participants('mutex', path); // time enough for a grant to be told
        expect(granted).toBe(false);
        await holder.release();
        await waiting;
        await waiter.release();
      },
      TEST_MS,
    );
  });
});
