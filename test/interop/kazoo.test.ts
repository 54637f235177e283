import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ZkAdmin } from '../support/zk-admin.js';
import { contend, CONTENTION_MS, GrantTable } from './support/contention.js';
import { alone } from './support/grant-log.js';
import { Languages } from './support/languages.js';

describe("Python with kazoo's lock", () => {
  let languages: Languages;
  let admin: ZkAdmin;
  const table = new GrantTable();

  beforeAll(async () => {
    languages = await Languages.start({ containerCheckMs: 3_600_000 });
    admin = await ZkAdmin.connect(languages.server.connectString);
  }, 180_000);
  afterAll(async () => {
    admin.close();
    await languages[Symbol.asyncDispose]();
    process.stdout.write(`\n${table.toString()}\n\n`);
  });

  it(
    "should contend with Curator and this library on one mutex, as a subclass with Curator's name of nodes",
    async () => {
      const lock = { kind: 'mutex', path: '/interop/three', company: alone };
      const peers = [languages.java(), languages.node(), languages.python()];
      const actors = peers.flatMap((peer) => ['a', 'b', 'c'].map((name) => peer.actor(name)));
      const contention = await contend(actors, lock, languages.folder);
      table.add(lock.kind, contention);
      expect(contention.violations).toEqual([]);
      expect([...contention.shares.keys()].sort()).toEqual(['java', 'node', 'python']);
      await admin.waitForChildren(lock.path, 0);
    },
    CONTENTION_MS,
  );
});
