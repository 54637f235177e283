import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LockTreeObserver } from '../../sample-app/demo/lock-tree.observer.js';
import { waitFor } from '../support/wait-for.js';
import { HeldGateway } from './support/held-gateway.js';
import { SampleFleet } from './support/sample-fleet.js';
import { sqliteFile } from './support/sqlite-file.js';

describe('observer of the demo', () => {
  let fleet: SampleFleet | undefined;
  let observer: LockTreeObserver | undefined;

  beforeAll(async () => {
    fleet = await SampleFleet.start(1, sqliteFile);
    observer = await LockTreeObserver.connect(fleet.zookeeper.connectString, undefined, '/locks');
  }, 120_000);

  afterAll(async () => {
    await observer?.close();
    await fleet?.[Symbol.asyncDispose]();
  }, 60_000);

  it('should say where there is no ZooKeeper', async () => {
    const connecting = LockTreeObserver.connect('127.0.0.1:1', undefined, '/locks', 200);
    await expect(connecting).rejects.toThrow('There is no ZooKeeper at 127.0.0.1:1');
  });

  it('should see the node of a payment that is going on, and none when it is over', async () => {
    const service = fleet!.services[0]!;
    const id = await service.createOrder();
    await HeldGateway.during([service], async (gateway) => {
      const paying = service.post(`/orders/${id}/pay`);
      await waitFor(() => gateway.arrived === 1);
      expect(await observer!.orphans(0)).toEqual([expect.stringContaining(`/locks/order-pay:${id}/_c_`)]);
      gateway.letGo();
      await paying;
    });
    expect(await observer!.orphans()).toEqual([]);
  });

  it('should leave a service working whose empty parents it removed', async () => {
    await observer!.removeRoot();
    const service = fleet!.services[0]!;
    expect(await observer!.orphans(0)).toEqual([]);
    // The library makes them again.
    const id = await service.createOrder();
    expect((await service.post(`/orders/${id}/pay`)).status).toBe(200);
  });
});
