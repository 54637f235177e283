import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ZkAcl } from '../../lib/session/zk-client.js';
import { LockClient } from '../support/lock-client.js';
import { ZkAdmin } from '../support/zk-admin.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

const ALL = ['read', 'write', 'create', 'delete', 'admin'] as const;
const CREATOR: ZkAcl[] = [{ scheme: 'auth', id: '', permissions: ALL }];

describe('Access', () => {
  let server: ZooKeeperServer;
  let admin: ZkAdmin;

  beforeAll(async () => {
    server = await ZooKeeperServer.start({ containerCheckMs: 200 });
    admin = await ZkAdmin.connect(server.connectString);
  });
  afterAll(async () => {
    admin.close();
    await server[Symbol.asyncDispose]();
  });

  const open = (user: string | undefined, root: string, acl?: ZkAcl[]): Promise<LockClient> =>
    LockClient.open(server.connectString, {
      root,
      acl,
      auth: user === undefined ? undefined : { scheme: 'digest', credentials: `${user}:secret` },
    });

  it('should share locks among those who have the same credentials, and keep others out (B36)', async () => {
    await using one = await open('pay', '/secured', CREATOR);
    await using two = await open('pay', '/secured', CREATOR);
    await using stranger = await open('eve', '/secured', CREATOR);
    const lock = await one.locks.acquire('k');
    expect(await two.locks.tryAcquire('k')).toBeNull();
    await expect(stranger.locks.acquire('k')).rejects.toMatchObject({ code: 'ZK_LOCK_ACCESS', zkCode: -102 });
    await expect(stranger.locks.tryAcquire('k')).rejects.toMatchObject({ code: 'ZK_LOCK_ACCESS' });
    await expect(stranger.locks.contenders('k')).rejects.toMatchObject({ code: 'ZK_LOCK_ACCESS' });
    await lock.release();
    await two.locks.withLock('k', () => undefined);
  });

  it('should keep the protection of the root when the server reaps the containers below it (B07)', async () => {
    await using one = await open('pay', '/kept', CREATOR);
    await using stranger = await open(undefined, '/kept');
    await one.locks.withLock('k', () => undefined);
    await expect(stranger.locks.acquire('other')).rejects.toMatchObject({ code: 'ZK_LOCK_ACCESS' });
    expect(await admin.exists('/kept')).toBe(true);
  });

  it('should need no permission on parents that exist (B50)', async () => {
    // The root belongs to somebody else: this client may use the existing parents of the lock, and create no others.
    await using owner = await open('owner', '/foreign', [
      ...CREATOR,
      { scheme: 'world', id: 'anyone', permissions: ['read'] },
    ]);
    await owner.locks.withLock('k', () => undefined);
    const session = owner.connection.connectedSession!;
    await session.create('/foreign/shared', Buffer.alloc(0), 'persistent');
    await session.setAcl('/foreign/shared', [{ scheme: 'world', id: 'anyone', permissions: ALL }]);
    await using user = await open(undefined, '/foreign');
    expect(await user.locks.withLock('shared', () => 'in')).toBe('in');
    expect(await user.locks.contenders('shared')).toEqual([]);
    await expect(user.locks.acquire('new')).rejects.toMatchObject({ code: 'ZK_LOCK_ACCESS' });
  });

  it('should make chroot and nested root when they are missing, and clean up below them (B04)', async () => {
    await using client = await LockClient.open(server.connectString, {
      chroot: '/apps/billing',
      root: '/a/locks',
    });
    const lock = await client.locks.acquire('k');
    expect(lock.path).toBe('/a/locks/k'); // below the chroot
    expect(await client.locks.tryAcquire('k')).toBeNull();
    expect(await admin.children(`/apps/billing${lock.path}`)).toHaveLength(1);
    await lock.release();
    expect(await admin.children('/apps/billing/a/locks/k').catch(() => [])).toEqual([]);
  });
});
