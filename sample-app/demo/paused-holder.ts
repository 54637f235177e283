import type { Member } from './fleet.js';
import { waitUntil } from './wait-until.js';

/** Long enough to pause the process before its payment provider answers. */
const GATEWAY_MS = 3_000;

export interface PausedHolderResult {
  /** From the pause to the answer of the one that waited, in ms. */
  readonly nextWaitedMs: number;
  readonly nextStatus: number;
  /** What the paused process answered after it was let go on. */
  readonly lateStatus: number;
  readonly lateMessage: string;
  /** Writes of the paused process that the database refused. */
  readonly staleWritesRefused: number;
  readonly payments: number;
}

/** One process is paused while it pays an order, until another one has paid it; then it goes on, and writes. */
export async function pauseHolder(holder: Member, next: Member): Promise<PausedHolderResult> {
  const order = await next.client.createOrder(4_300);
  const late = holder.client.pay(order, 'pay', GATEWAY_MS);
  late.catch(() => undefined); // told below, if it comes to that
  await waitUntil(
    'the first process pays the order',
    async () => (await next.client.order(order)).fencingToken !== '0',
  );
  const pausedAt = performance.now();
  holder.process.pause();
  const { status: nextStatus } = await next.client.pay(order, 'pay').finally(() => {
    holder.process.resume();
  });
  const nextWaitedMs = performance.now() - pausedAt;
  const answer = await late;
  return {
    nextWaitedMs,
    nextStatus,
    lateStatus: answer.status,
    lateMessage: answer.body.message ?? '',
    staleWritesRefused: (await holder.client.counters()).staleWritesRefused,
    payments: (await next.client.payments(order)).length,
  };
}
