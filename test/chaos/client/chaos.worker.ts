// A client process of a chaos run. Told to `start` it does random operations until it is told to `finish`; a plan that is sent
// to it is done as it stands, and answered with `done`.
import { Random } from '../random.js';
import { breakLibrary, type BrokenVariant } from '../broken/broken-variants.js';
import { isExclusive } from '../checks/grants.js';
import { ChaosClient, type ChaosClientOptions } from './chaos-client.js';
import { randomPlan, type OperationPlan } from './operation-plan.js';
import { watchStalls } from './stall-watch.js';

export interface ChaosWorkerOptions extends ChaosClientOptions {
  seed: number;
  /** How many operations go on at once. */
  callers: number;
  broken?: BrokenVariant;
}

export type ChaosWorkerMessage = 'start' | 'finish' | 'close' | OperationPlan;
export type ChaosWorkerAnswer = 'ready' | 'idle' | 'done' | 'closed';

const FINAL_WAIT_MS = 60_000;

const options = JSON.parse(process.argv[2] ?? '') as ChaosWorkerOptions;
const { name, seed, keys, callers, sessionTimeoutMs } = options;
if (options.broken !== undefined) breakLibrary(options.broken);
const random = new Random(seed);
const client = new ChaosClient(options, random);
let finishing = false;
let loops: Promise<unknown> = Promise.resolve();

const answer = (text: ChaosWorkerAnswer): void => void process.send?.(text);

async function caller(): Promise<void> {
  while (!finishing) await client.run(randomPlan(random, keys, sessionTimeoutMs));
}

/** No faults any more: every share of every key has to be granted once more. */
async function finish(): Promise<void> {
  finishing = true;
  await loops;
  const last = {
    style: 'acquire',
    waitMs: FINAL_WAIT_MS,
    sectionMs: 5,
    stepMs: 1,
    final: true,
  } as const;
  const plans = keys.flatMap(({ name: key, shares }) =>
    shares.map((share) => ({ key, share, writes: isExclusive({ share }) ? 1 : 0, ...last })),
  );
  await Promise.all(plans.map((plan) => client.run(plan)));
}

process.on('message', (message: ChaosWorkerMessage) => {
  void (async () => {
    if (message === 'start') {
      loops = Promise.all(Array.from({ length: callers }, caller));
    } else if (message === 'finish') {
      await finish();
      answer('idle');
    } else if (message === 'close') {
      await client.close();
      answer('closed');
      process.disconnect();
    } else {
      await client.run(message);
      answer('done');
    }
  })();
});

watchStalls(client.log);
client.log.record({ kind: 'started', of: name });
answer('ready');
