import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SchedulerRegistry } from '@nestjs/schedule';
import { DataSource } from 'typeorm';
import { Settlement } from '../../sample-app/src/settlement/settlement.entity.js';
import { SampleFleet } from './support/sample-fleet.js';
import { sqliteFile } from './support/sqlite-file.js';

describe('nightly settlement of the sample', () => {
  let fleet: SampleFleet | undefined;

  beforeAll(async () => {
    fleet = await SampleFleet.start(3, sqliteFile);
  }, 120_000);

  afterAll(() => fleet?.[Symbol.asyncDispose](), 60_000);

  it('should run once in the fleet, also when clocks differ', async () => {
    const [one, other, late] = fleet!.services;
    const id = await one!.createOrder(4_200);
    await one!.post(`/orders/${id}/pay`);
    const night = async ({ app }: typeof one & object) => {
      await app.get(SchedulerRegistry).getCronJob('nightly-settlement').fireOnTick();
    };
    await Promise.all([night(one!), night(other!)]);
    await night(late!);
    const settlements = await one!.app.get(DataSource).getRepository(Settlement).find();
    expect(settlements).toEqual([expect.objectContaining({ payments: 1, amount: 4_200n })]);
  });
});
