import type { Member } from './fleet.js';
import type { PayAnswer, PayPath } from './service.client.js';

export interface LoadPlan {
  readonly path: PayPath;
  readonly orders: number;
  readonly paymentsPerOrder: number;
  readonly onAnswer: (answered: number) => void;
}

export interface LoadResult {
  readonly payments: number;
  /** Booked payments beyond the first of each order. */
  readonly doublePayments: number;
  readonly ordersPaidTwice: number;
  readonly ordersUnpaid: number;
  /** What went wrong, one line for each failed request. */
  readonly failures: readonly string[];
  readonly perSecond: number;
  /** How long each request waited for its lock, in ms, rising. */
  readonly lockWaitsMs: readonly number[];
}

/** Sends all payments at once, each order's through all processes in turn, and counts what was booked. */
export async function runLoad(fleet: readonly Member[], plan: LoadPlan): Promise<LoadResult> {
  const client = (at: number) => fleet[at % fleet.length]!.client;
  const orders = await Promise.all(
    Array.from({ length: plan.orders }, (_, at) => client(at).createOrder(1_000 + at)),
  );
  let answered = 0;
  const started = performance.now();
  const answers = await Promise.all(
    Array.from({ length: plan.orders * plan.paymentsPerOrder }, async (_, at) => {
      const order = orders[Math.floor(at / plan.paymentsPerOrder)]!;
      const answer = await client(at)
        .pay(order, plan.path)
        .catch((error: unknown) => String(error));
      plan.onAnswer(++answered);
      return answer;
    }),
  );
  const seconds = (performance.now() - started) / 1_000;
  const booked = await Promise.all(orders.map(async (id, at) => (await client(at).payments(id)).length));
  return {
    payments: answers.length,
    doublePayments: booked.reduce((sum, count) => sum + Math.max(0, count - 1), 0),
    ordersPaidTwice: booked.filter((count) => count > 1).length,
    ordersUnpaid: booked.filter((count) => count === 0).length,
    failures: answers.flatMap(asFailure),
    perSecond: answers.length / seconds,
    lockWaitsMs: answers
      .flatMap((answer) =>
        typeof answer !== 'string' && answer.status === 200 ? [answer.body.lockWaitMs] : [],
      )
      .sort((a, b) => a - b),
  };
}

function asFailure(answer: PayAnswer | string): string[] {
  if (typeof answer === 'string') return [answer];
  return answer.status === 200 ? [] : [`${answer.status} ${answer.body.message ?? ''}`];
}
