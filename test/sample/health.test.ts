import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '../support/wait-for.js';
import { SampleFleet } from './support/sample-fleet.js';
import type { SampleService } from './support/sample-service.js';
import { sqliteFile } from './support/sqlite-file.js';

describe('health of the sample', () => {
  let fleet: SampleFleet | undefined;
  let service: SampleService;

  beforeAll(async () => {
    fleet = await SampleFleet.start(1, sqliteFile, { ZK_SESSION_TIMEOUT_MS: '2000' });
    service = fleet.services[0]!;
  }, 120_000);

  afterAll(() => fleet?.[Symbol.asyncDispose](), 60_000);

  it('should be live and ready with ZooKeeper and the database at hand', async () => {
    expect(await service.get('/health/live')).toMatchObject({
      status: 200,
      body: { status: 'ok', details: { zookeeper: { status: 'up', state: 'connected' } } },
    });
    expect(await service.get('/health/ready')).toMatchObject({
      status: 200,
      body: {
        status: 'ok',
        details: { zookeeper: { status: 'up', negotiatedTimeoutMs: 2_000 }, database: { status: 'up' } },
      },
    });
  });

  it('should not be ready but stay live while ZooKeeper is away, and be ready by itself when it is back', async () => {
    await fleet!.zookeeper.stop();
    const unready = await waitFor(async () => {
      const { status, body } = await service.get('/health/ready');
      return status === 503 && body;
    });
    expect(unready).toMatchObject({ status: 'error', error: { zookeeper: { status: 'down' } } });
    expect((await service.get('/health/live')).status).toBe(200);
    await fleet!.zookeeper.start();
    await waitFor(async () => (await service.get('/health/ready')).status === 200);
    const id = await service.createOrder();
    expect((await service.post(`/orders/${id}/pay`)).status).toBe(200);
  });
});
