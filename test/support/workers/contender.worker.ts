// Takes a lock again and again and writes each grant into a log, in a section that is checked outside the library.
import { appendFileSync, closeSync, openSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { EACH_ITS_NODE, LockClient } from '../lock-client.js';

const [connectString = '', key = '', folder = '', rounds = '0', callers = '1'] = process.argv.slice(2);

const client = await LockClient.open(connectString, {
  waitMs: 120_000,
  sessionTimeoutMs: 20_000,
  ...EACH_ITS_NODE,
});
const session = client.connection.connectedSession;
const guard = join(folder, 'holder');

async function lowestSequence(path: string): Promise<number> {
  const { children } = await session!.getChildren(path);
  return Math.min(...children.map((name) => Number(name.slice(-10))));
}

async function caller(): Promise<void> {
  for (let round = 0; round < Number(rounds) / Number(callers); round += 1) {
    await client.locks.withLock(key, async ({ fencingToken, path }) => {
      closeSync(openSync(guard, 'wx')); // fails when somebody else is inside
      const sequence = await lowestSequence(path);
      appendFileSync(
        join(folder, 'log'),
        `${JSON.stringify({ pid: process.pid, sequence, token: String(fencingToken) })}\n`,
      );
      unlinkSync(guard);
    });
  }
}

await Promise.all(Array.from({ length: Number(callers) }, caller));
await client[Symbol.asyncDispose]();
process.send?.('done');
process.disconnect();
