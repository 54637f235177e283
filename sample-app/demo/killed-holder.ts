import type { Member } from './fleet.js';
import { waitUntil } from './wait-until.js';

export interface KilledHolderResult {
  /** From the kill to the answer of the one that waited, in ms. */
  readonly nextWaitedMs: number;
  readonly nextStatus: number;
  readonly payments: number;
}

/** One process is killed while it pays an order, another one waits to pay the same order. */
export async function killHolder(holder: Member, next: Member): Promise<KilledHolderResult> {
  const order = await next.client.createOrder(4_200);
  const lost = holder.client.pay(order, 'pay', 60_000).catch(() => undefined);
  await waitUntil('the first process holds the lock', async () =>
    (await next.client.contenders(order)).some(
      ({ state, pid }) => state === 'holding' && pid === holder.process.pid,
    ),
  );
  const waiting = next.client.pay(order, 'pay');
  waiting.catch(() => undefined); // told below, if it comes to that
  await waitUntil('the second process waits for it', async () =>
    (await next.client.contenders(order)).some(
      ({ state, pid }) => state === 'waiting' && pid === next.process.pid,
    ),
  );
  const killedAt = performance.now();
  await holder.process.kill();
  const answer = await waiting;
  const nextWaitedMs = performance.now() - killedAt;
  await lost;
  return { nextWaitedMs, nextStatus: answer.status, payments: (await next.client.payments(order)).length };
}
