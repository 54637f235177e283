import { randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SingleBar } from 'cli-progress';
import type { ProcessGuard } from '../../scripts/zookeeper/process-guard.mjs';
import { CleanUp } from './clean-up.js';
import { DemoProcess, type DemoProgram } from './demo.process.js';
import { problems, report, seconds } from './demo.report.js';
import { startFleet, type Member } from './fleet.js';
import { killHolder } from './killed-holder.js';
import { LockTreeObserver } from './lock-tree.observer.js';
import { pauseHolder } from './paused-holder.js';
import { runLoad, type LoadResult } from './payments.load.js';
import type { PayPath } from './service.client.js';

const PROCESSES = 3;
const ORDERS = 20;
const PAYMENTS_PER_ORDER = 20;
const SESSION_TIMEOUT_MS = 4_000;

const DEV_SERVER: DemoProgram = {
  name: 'The embedded ZooKeeper',
  file: new URL('../../lib/cli/main.js', import.meta.url),
  args: ['dev-server', '--port=0', '--tick-time=500', '--force'],
  ready: /^ZooKeeper for development at (\S+):/,
};

/** What comes from the scripts, which are not compiled. */
export interface DemoTools {
  /** Ends what it watches, and removes the folder, as soon as the demo has ended, however that was. */
  makeGuard(folder?: string): ProcessGuard;
}

/** Shows the race without the lock, the order with it, and what happens to a killed and a paused holder. */
export async function runDemo(tools: DemoTools): Promise<boolean> {
  const cleanUp = new CleanUp();
  let askedAt: number | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    const code = signal === 'SIGINT' ? 130 : 143;
    if (askedAt !== undefined) {
      // npm passes on the signal that the terminal has sent already: that is no second one.
      if (performance.now() - askedAt > 1_000) process.exit(code); // the guards end what was started
      return;
    }
    askedAt = performance.now();
    console.log(`\n${signal}: ending everything that was started; once more: at once`);
    void cleanUp.run().then(() => process.exit(code));
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  try {
    return await demonstrate(tools, cleanUp);
  } finally {
    await cleanUp.run();
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}

async function demonstrate(tools: DemoTools, cleanUp: CleanUp): Promise<boolean> {
  const zookeeper = await findZooKeeper(tools, cleanUp);
  const folder = await mkdtemp(join(tmpdir(), 'order-service-'));
  const folderGuard = tools.makeGuard(folder);
  cleanUp.add(async () => folderGuard.release());
  const root = `/order-service-demo-${randomUUID()}`;
  const env = {
    ZK_CONNECT: zookeeper,
    ZK_ROOT: root,
    ZK_SESSION_TIMEOUT_MS: `${SESSION_TIMEOUT_MS}`,
    SQLITE_FILE: join(folder, 'orders.sqlite'),
    DATABASE_URL: '',
    GATEWAY_MS: '100',
  };
  // First of all: without ZooKeeper nothing else can work. It looks after the service has ended, too, and then removes
  // the empty parents of the locks.
  const observer = await LockTreeObserver.connect(zookeeper, process.env.ZK_AUTH, root);
  cleanUp.add(() => observer.removeRoot().finally(() => observer.close()));
  const fleet = await startFleet(PROCESSES, env, () => tools.makeGuard(), cleanUp);
  console.log(
    `Order service: ${fleet.map(({ process }) => `pid ${process.pid}`).join(', ')}, one SQLite file`,
  );

  const unsafe = await pay('Without the lock', 'pay-unsafe', fleet);
  const locked = await pay('With the lock', 'pay', fleet);
  const orphansOfLoad = await observer.orphans();

  const sessionTimeoutMs = await fleet[0]!.client.sessionTimeoutMs();
  const [first, second, third] = fleet as [Member, Member, Member];
  console.log(
    `Killing pid ${first.process.pid} (SIGKILL) while it holds a lock that pid ${second.process.pid} waits for`,
  );
  const killed = await killHolder(first, second);
  console.log(`  passed on after ${seconds(killed.nextWaitedMs)}`);
  console.log(
    `Pausing pid ${third.process.pid} (SIGSTOP) while it holds a lock that pid ${second.process.pid} wants`,
  );
  const paused = await pauseHolder(third, second);
  console.log(
    `  passed on after ${seconds(paused.nextWaitedMs)}; then the paused one went on (SIGCONT) and was told:`,
  );
  console.log(`  ${paused.lateStatus} ${paused.lateMessage}`);

  const orphans = [...orphansOfLoad, ...(await observer.orphans())];
  const results = { unsafe, locked, killed, paused, sessionTimeoutMs, orphans };
  console.log(`\n${report(results)}\n`);
  const wrong = problems(results);
  console.log(wrong.length === 0 ? 'The locked run was right.' : `WRONG: ${wrong.join('; ')}`);
  return wrong.length === 0;
}

async function findZooKeeper(tools: DemoTools, cleanUp: CleanUp): Promise<string> {
  const given = process.env.ZK_CONNECT;
  if (given) {
    console.log(`ZooKeeper: a real one at ${given} (from ZK_CONNECT)`);
    return given;
  }
  const server = await DemoProcess.start(DEV_SERVER, tools.makeGuard());
  cleanUp.add(() => server.stop());
  console.log(
    `ZooKeeper: the embedded one at ${server.address} (pid ${server.pid}); ZK_CONNECT=host:port npm run demo takes a real one`,
  );
  return server.address;
}

async function pay(title: string, path: PayPath, fleet: readonly Member[]): Promise<LoadResult> {
  const total = ORDERS * PAYMENTS_PER_ORDER;
  const bar = new SingleBar({ format: '  {bar} {value}/{total}', clearOnComplete: true });
  console.log(`${title}: ${total} payments of ${ORDERS} orders at once`);
  bar.start(total, 0);
  try {
    const onAnswer = (answered: number) => bar.update(answered);
    const result = await runLoad(fleet, {
      path,
      orders: ORDERS,
      paymentsPerOrder: PAYMENTS_PER_ORDER,
      onAnswer,
    });
    bar.stop();
    console.log(
      `  ${result.doublePayments} double payments, ${result.perSecond.toFixed(0)} requests per second`,
    );
    return result;
  } finally {
    bar.stop();
  }
}
