import { setTimeout as sleep } from 'node:timers/promises';

/** Asks again and again until the answer is yes. */
export async function waitUntil(
  what: string,
  ask: () => Promise<boolean>,
  patienceMs = 30_000,
): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!(await ask())) {
    if (performance.now() > deadline) throw new Error(`Waited ${patienceMs} ms in vain until ${what}`);
    await sleep(20);
  }
}
