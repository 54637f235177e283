import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PaymentLedger } from '../../../sample-app/src/payments/payment.ledger.js';
import { StaleFencingTokenException } from '../../../sample-app/src/payments/stale-fencing-token.exception.js';
import { waitFor } from '../../support/wait-for.js';
import { HeldGateway } from './held-gateway.js';
import { SampleFleet } from './sample-fleet.js';
import type { SampleService } from './sample-service.js';
import type { TestDatabase } from './test-database.js';

/** Larger than any token that a new ZooKeeper gives out. */
const FAR_NEWER = 2n ** 62n;

/** What the sample promises on any database: two instances of it on one database and one ZooKeeper. */
export function describePayments(name: string, startDatabase: () => Promise<TestDatabase>): void {
  describe(`payments on ${name}`, () => {
    let fleet: SampleFleet | undefined;
    let one: SampleService;
    let other: SampleService;

    beforeAll(async () => {
      fleet = await SampleFleet.start(2, startDatabase);
      [one, other] = fleet.services as [SampleService, SampleService];
    }, 120_000);

    afterAll(() => fleet?.[Symbol.asyncDispose](), 60_000);

    const ledger = () => one.app.get(PaymentLedger);

    it('should create an order and show it', async () => {
      const created = await one.post('/orders', { amount: 1_250 });
      expect(created.status).toBe(201);
      expect(created.body).toMatchObject({ amount: 1_250, status: 'open', fencingToken: '0' });
      expect(await other.get(`/orders/${String(created.body.id)}`)).toEqual({
        status: 200,
        body: created.body,
      });
    });

    it('should say what is wrong with a request', async () => {
      expect(await one.post('/orders', { amount: 0.5 })).toMatchObject({ status: 400 });
      expect(await one.post('/orders', { amount: 100, discount: 99 })).toMatchObject({ status: 400 });
      expect(await one.get('/orders/unknown')).toMatchObject({ status: 404 });
      expect(await one.post('/orders/unknown/pay')).toMatchObject({ status: 404 });
    });

    it('should pay an order once and say so when asked again', async () => {
      const id = await one.createOrder(700);
      const first = await one.post(`/orders/${id}/pay`);
      expect(first).toMatchObject({ status: 200, body: { orderId: id, outcome: 'charged' } });
      expect(await other.post(`/orders/${id}/pay`)).toMatchObject({
        status: 200,
        body: { outcome: 'already-paid' },
      });
      const { fencingToken } = first.body;
      expect((await one.get(`/orders/${id}`)).body).toMatchObject({ status: 'paid', fencingToken });
      expect(await one.payments(id)).toEqual([
        expect.objectContaining({ orderId: id, amount: 700, fencingToken }),
      ]);
    });

    it('should pay an order twice when two processes pay it at once without the lock', async () => {
      const id = await one.createOrder();
      await HeldGateway.during([one, other], async (gateway) => {
        const answers = [one.post(`/orders/${id}/pay-unsafe`), other.post(`/orders/${id}/pay-unsafe`)];
        await waitFor(() => gateway.arrived === 2);
        gateway.letGo();
        expect((await Promise.all(answers)).map(({ body }) => body.outcome)).toEqual(['charged', 'charged']);
      });
      expect(await one.payments(id)).toHaveLength(2);
    });

    it('should pay an order once however many ask both processes at once', async () => {
      const id = await one.createOrder();
      await HeldGateway.during([one, other], async (gateway) => {
        const asked = Array.from({ length: 20 }, (_, at) => (at % 2 ? one : other).post(`/orders/${id}/pay`));
        await waitFor(() => gateway.arrived === 1);
        gateway.letGo();
        const answers = await Promise.all(asked);
        expect(answers.filter(({ body }) => body.outcome === 'charged')).toHaveLength(1);
        expect(answers.filter(({ body }) => body.outcome === 'already-paid')).toHaveLength(19);
        expect(new Set(answers.map(({ body }) => body.fencingToken)).size).toBe(20);
        expect(gateway.arrived).toBe(1);
      });
      expect(await one.payments(id)).toHaveLength(1);
    });

    it('should show who pays an order and who waits', async () => {
      const id = await one.createOrder();
      await HeldGateway.during([one, other], async (gateway) => {
        const paying = one.post(`/orders/${id}/pay`);
        await waitFor(() => gateway.arrived === 1);
        const waiting = other.post(`/orders/${id}/pay`);
        const contenders = await waitFor(async () => {
          const { body } = await one.get(`/orders/${id}/lock`);
          return (body as unknown as object[]).length === 2 && body;
        });
        expect(contenders).toEqual([
          expect.objectContaining({ state: 'holding', mine: true, pid: process.pid }),
          expect.objectContaining({ state: 'waiting', mine: false, pid: process.pid }),
        ]);
        gateway.letGo();
        await Promise.all([paying, waiting]);
      });
      expect((await one.get(`/orders/${id}/lock`)).body).toEqual([]);
    });

    it('should refuse the late write of a holder that has been overtaken, refund its charge and count it', async () => {
      const id = await one.createOrder();
      const before = (await one.get('/payments/counters')).body;
      await HeldGateway.during([one], async (gateway) => {
        const late = one.post(`/orders/${id}/pay`);
        await waitFor(() => gateway.arrived === 1);
        await ledger().claim(id, FAR_NEWER);
        gateway.letGo();
        const { status, body } = await late;
        expect(status).toBe(409);
        expect(body).toMatchObject({
          error: 'StaleFencingToken',
          orderId: id,
          storedToken: String(FAR_NEWER),
          message: expect.stringContaining(`older than ${String(FAR_NEWER)}`),
        });
      });
      expect(await one.payments(id)).toEqual([]);
      expect((await one.get(`/orders/${id}`)).body.status).toBe('open');
      expect((await one.get('/payments/counters')).body).toMatchObject({
        charges: Number(before.charges) + 1,
        refunds: Number(before.refunds) + 1,
        staleWritesRefused: Number(before.staleWritesRefused) + 1,
      });
    });

    it('should not even charge when a newer holder has been there before', async () => {
      const id = await one.createOrder();
      await ledger().claim(id, FAR_NEWER);
      await HeldGateway.during([one], async (gateway) => {
        expect(await one.post(`/orders/${id}/pay`)).toMatchObject({ status: 409 });
        expect(gateway.arrived).toBe(0);
      });
    });

    it.each([2n ** 53n, 2n ** 62n, 2n ** 63n - 3n])(
      'should tell neighbouring tokens apart above 2^53: %s',
      async (token) => {
        const id = await one.createOrder();
        const charge = { id: `charge-${id}`, amount: 1_000 };
        expect(await ledger().claim(id, token + 1n)).toBe(true);
        expect((await one.get(`/orders/${id}`)).body.fencingToken).toBe(String(token + 1n));
        await expect(ledger().claim(id, token)).rejects.toMatchObject({
          fencingToken: token,
          storedToken: token + 1n,
        });
        await expect(ledger().claim(id, token + 1n)).rejects.toThrow(StaleFencingTokenException);
        expect(await ledger().claim(id, token + 2n)).toBe(true);
        await expect(ledger().record(id, charge, token + 1n)).rejects.toThrow(StaleFencingTokenException);
        await ledger().record(id, charge, token + 2n);
        expect((await one.payments(id)).map(({ fencingToken }) => fencingToken)).toEqual([
          String(token + 2n),
        ]);
      },
    );
  });
}
