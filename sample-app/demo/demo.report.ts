import type { KilledHolderResult } from './killed-holder.js';
import type { PausedHolderResult } from './paused-holder.js';
import type { LoadResult } from './payments.load.js';

export interface DemoResults {
  readonly unsafe: LoadResult;
  readonly locked: LoadResult;
  readonly killed: KilledHolderResult;
  readonly paused: PausedHolderResult;
  readonly sessionTimeoutMs: number;
  readonly orphans: readonly string[];
}

/** The table that the demo ends with. */
export function report({ unsafe, locked, killed, paused, sessionTimeoutMs, orphans }: DemoResults): string {
  const rows: [string, string, string][] = [
    ['', 'without lock', 'with lock'],
    ['payment requests', `${unsafe.payments}`, `${locked.payments}`],
    ['double payments', `${unsafe.doublePayments}`, `${locked.doublePayments}`],
    ['orders paid more than once', `${unsafe.ordersPaidTwice}`, `${locked.ordersPaidTwice}`],
    ['failed requests', `${unsafe.failures.length}`, `${locked.failures.length}`],
    ['requests per second', unsafe.perSecond.toFixed(0), locked.perSecond.toFixed(0)],
    ['wait for the lock, p50', '-', `${percentile(locked.lockWaitsMs, 0.5).toFixed(0)} ms`],
    ['wait for the lock, p99', '-', `${percentile(locked.lockWaitsMs, 0.99).toFixed(0)} ms`],
    ['stale writes refused', '-', `${paused.staleWritesRefused}`],
    ['orphan nodes left', '-', `${orphans.length}`],
  ];
  const timeout = `session timeout ${seconds(sessionTimeoutMs)}`;
  return [
    ...rows.map(
      ([what, without, withLock]) => `  ${what.padEnd(28)}${without.padStart(14)}${withLock.padStart(14)}`,
    ),
    '',
    `  holder killed (SIGKILL):  the next one had the order paid ${seconds(killed.nextWaitedMs)} later (${timeout})`,
    `  holder paused (SIGSTOP):  the next one had the order paid ${seconds(paused.nextWaitedMs)} later (${timeout});`,
    `                            the paused one's late write was refused (${paused.lateStatus})`,
  ].join('\n');
}

/** What was not right in the locked run; nothing when all was. */
export function problems({ locked, killed, paused, orphans }: DemoResults): string[] {
  const wrong: [boolean, string][] = [
    [locked.doublePayments > 0, `${locked.doublePayments} double payments with the lock`],
    [locked.ordersUnpaid > 0, `${locked.ordersUnpaid} orders were not paid`],
    [
      locked.failures.length > 0,
      `${locked.failures.length} requests failed, the first: ${locked.failures[0] ?? ''}`,
    ],
    [killed.nextStatus !== 200, `after the kill the next one got ${killed.nextStatus}`],
    [killed.payments !== 1, `the killed holder's order has ${killed.payments} payments`],
    [paused.nextStatus !== 200, `after the pause the next one got ${paused.nextStatus}`],
    [paused.payments !== 1, `the paused holder's order has ${paused.payments} payments`],
    [paused.lateStatus < 400, `the paused holder's late payment was answered with ${paused.lateStatus}`],
    [paused.staleWritesRefused < 1, 'the database refused no stale write'],
    [orphans.length > 0, `nodes left in ZooKeeper: ${orphans.join(', ')}`],
  ];
  return wrong.flatMap(([isWrong, what]) => (isWrong ? [what] : []));
}

/** Of a rising list; the smallest value that at least this share of the values do not exceed. */
export function percentile(rising: readonly number[], share: number): number {
  return rising[Math.max(0, Math.ceil(rising.length * share) - 1)] ?? 0;
}

export function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
