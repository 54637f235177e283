import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { expireSession } from './expire-session.js';
import { waitFor } from './wait-for.js';
import { ZkAdmin } from './zk-admin.js';
import { ZooKeeperServer } from './zookeeper-server.js';

const SESSION_EXPIRED = -112;

describe('ZkAdmin', () => {
  let server: ZooKeeperServer;
  let admin: ZkAdmin;

  beforeAll(async () => {
    server = await ZooKeeperServer.start();
    admin = await ZkAdmin.connect(server.connectString);
  });
  afterAll(async () => {
    admin.close();
    await server[Symbol.asyncDispose]();
  });

  it('should create, read, change, list and delete nodes', async () => {
    await admin.ensure('/a/b');
    await expect(admin.create('/a/b/n-', 'one', 'sequential')).resolves.toBe('/a/b/n-0000000000');
    await admin.create('/a/b/e', '', 'ephemeral');
    await expect(admin.children('/a/b')).resolves.toEqual(['e', 'n-0000000000']);

    await admin.set('/a/b/n-0000000000', 'two');
    await expect(admin.get('/a/b/n-0000000000')).resolves.toMatchObject({
      data: 'two',
      stat: { version: 1 },
    });

    await expect(admin.delete('/a/b/e')).resolves.toBe(true);
    await expect(admin.delete('/a/b/e')).resolves.toBe(false);
    await admin.deleteTree('/a');
    await expect(admin.exists('/a')).resolves.toBe(false);
    await expect(admin.children('/a')).resolves.toEqual([]);
  });

  it('should say what ZooKeeper answered', async () => {
    await expect(admin.get('/none')).rejects.toThrow('get /none: error -101');
    await expect(admin.create('/none/x')).rejects.toMatchObject({ code: -101 });
  });

  it('should say what it waited for in vain', async () => {
    await admin.ensure('/w/x');
    await expect(admin.waitForChildren('/w', 2, 50)).rejects.toThrow('2 children under /w; there are 1: x');
    await expect(admin.waitForChildren('/w', 1)).resolves.toEqual(['x']);
  });

  it('should expire a session: its nodes go, its owner is told', async () => {
    const owner = await ZkAdmin.connect(server.connectString, 3_000);
    await owner.create('/mine', '', 'ephemeral');
    let closeCode: number | undefined;
    owner.raw.once('close', (_client, code: number) => (closeCode = code));
    const session = { sessionId: owner.raw.client_id, password: owner.raw.client_password };

    await expireSession(server, session);

    await waitFor(() => {
      owner.raw.a_sync('/', () => undefined); // an idle client takes its time to reconnect
      return closeCode === SESSION_EXPIRED;
    });
    await waitFor(async () => !(await admin.exists('/mine')));
    await expect(expireSession(server, session)).rejects.toThrow(`knows no session 0x${session.sessionId}`);
  });
});
