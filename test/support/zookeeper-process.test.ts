import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ZooKeeperProcess } from '../../scripts/zookeeper/zookeeper-process.mjs';
import { ZooKeeperEnsemble } from './zookeeper-ensemble.js';

describe('ZooKeeperProcess', () => {
  let server: ZooKeeperProcess;

  beforeAll(async () => {
    server = await ZooKeeperProcess.start();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it('should serve on a free port of 127.0.0.1', async () => {
    expect(server.connectString).toBe(`127.0.0.1:${server.port}`);
    await expect(server.mode()).resolves.toBe('standalone');
    await expect(server.mntr()).resolves.toMatchObject({
      zk_server_state: 'standalone',
      zk_ephemerals_count: 0,
    });
  });

  it('should come back on the same port after a restart and after a kill', async () => {
    const { port, pid } = server;
    await server.restart();
    expect(server.port).toBe(port);
    expect(server.pid).not.toBe(pid);

    await server.kill();
    expect(server.pid).toBeUndefined();
    await expect(server.mode()).resolves.toBeUndefined();

    await server.start();
    await expect(server.mode()).resolves.toBe('standalone');
  });

  it('should not answer while it is paused', async () => {
    server.pause();
    await expect(server.fourLetter('srvr', 200)).rejects.toThrow(/did not answer "srvr" within 200 ms/);
    server.resume();
    await server.waitUntilServing();
  });

  it('should say which port is taken when a given one is', async () => {
    await expect(ZooKeeperProcess.start({ port: server.port })).rejects.toThrow(`port ${server.port}`);
  });
});

describe('ZooKeeperEnsemble', () => {
  it('should elect another leader when the leader is killed, and take the old one back', async () => {
    await using ensemble = await ZooKeeperEnsemble.start();
    const leader = await ensemble.leader();
    await expect(ensemble.followers()).resolves.toHaveLength(2);
    expect(ensemble.connectString.split(',')).toHaveLength(3);

    await leader.kill();
    const next = await ensemble.leader();
    expect(next.port).not.toBe(leader.port);

    await leader.start();
    await expect(leader.mode()).resolves.toBe('follower');
  });
});
