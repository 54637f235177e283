import { Injectable, type INestApplication, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { Cron, ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { lastValueFrom, Observable, of, toArray } from 'rxjs';
import { LeaderOnly } from '../../lib/locking/leader-only.decorator.js';
import { lockKey } from '../../lib/locking/lock-key.js';
import { LockService } from '../../lib/locking/lock.service.js';
import { LockSiteExplorer } from '../../lib/locking/lock-site-explorer.js';
import * as messages from '../../lib/locking/locking.messages.js';
import { currentLock } from '../../lib/recipes/lock-context.js';
import { ZkLockModule } from '../../lib/zk-lock.module.js';
import { waitFor } from '../support/wait-for.js';
import { Fleet } from './fixtures/fleet.js';

/** Never on its own: the tests fire the jobs. */
const FOREVER_AWAY = new Date(Date.now() + 86_400_000);
/** So long that no test could pass by waiting for it. */
const SESSION_TIMEOUT_MS = 60_000;

@Injectable()
class Reports {
  begun = 0;
  finish: () => void = () => undefined;
  signal: AbortSignal | undefined;

  @LeaderOnly('reports')
  async nightly(prefix: string): Promise<string | undefined> {
    const { key, mode, fencingToken } = currentLock();
    return `${prefix} ${key} ${mode} ${typeof fencingToken}`;
  }

  @LeaderOnly('reports')
  long(): Promise<string | undefined> {
    return this.untilFinished();
  }

  @LeaderOnly(lockKey('reports'), { onLost: 'ignore' })
  ignoring(): Promise<string | undefined> {
    return this.untilFinished();
  }

  @LeaderOnly('reports')
  observable(): Observable<string> {
    return of(currentLock().key, 'second');
  }

  @LeaderOnly('reports')
  async *steps(): AsyncGenerator<string> {
    yield currentLock().key;
    yield 'second';
  }

  private untilFinished(): Promise<string> {
    this.signal = currentLock().signal;
    this.begun += 1;
    return new Promise((resolve) => (this.finish = () => resolve('done')));
  }
}

/** Keeps an application from ending. */
@Injectable()
class Lingering implements OnApplicationShutdown {
  /** Called once, when the application would end. */
  until: (() => Promise<unknown>) | undefined;

  async onApplicationShutdown(): Promise<void> {
    const { until } = this;
    this.until = undefined;
    await until?.();
  }
}

let fleet: Fleet;

beforeAll(async () => {
  fleet = await Fleet.start();
});
afterEach(async () => {
  await fleet.closeApps();
  await fleet.untilFree('reports');
});
afterAll(() => fleet[Symbol.asyncDispose]());

const start = (
  providers: Provider[] = [Reports, Lingering],
  sessionTimeoutMs = SESSION_TIMEOUT_MS,
): Promise<INestApplication> =>
  fleet.app({ imports: [ScheduleModule.forRoot()], providers }, { sessionTimeoutMs, shutdownGraceMs: 2_500 });
const leads = (app: INestApplication): Promise<boolean> =>
  app
    .get(LockService)
    .leaderElection('reports')
    .leader()
    .then((leader) => leader?.mine === true);
/** The first one leads. */
async function twins(sessionTimeoutMs?: number): Promise<[INestApplication, INestApplication]> {
  const first = await start(undefined, sessionTimeoutMs);
  await waitFor(() => leads(first));
  const second = await start(undefined, sessionTimeoutMs);
  await waitFor(async () => (await fleet.contenders('reports')).length === 2);
  await waitFor(() => first.get(Reports).nightly('x'));
  return [first, second];
}

describe('@LeaderOnly', () => {
  it('should run on the leader, in the scope of its leadership, and skip elsewhere', async () => {
    const [first, second] = await twins();
    expect(await first.get(Reports).nightly('x')).toBe('x reports leader bigint');
    expect(await second.get(Reports).nightly('x')).toBeUndefined();
    expect(await first.get(LockService).leaderElection('reports').participants()).toMatchObject([
      { purpose: 'Reports.nightly', mode: 'leader', mine: true },
      { purpose: 'Reports.nightly', mode: 'leader', mine: false },
    ]);
    expect(first.get(LockSiteExplorer).countOf()).toBe(5);
  });

  it('should do so for Observables and generators', async () => {
    const [first, second] = await twins();
    const all = async (reports: Reports): Promise<string[][]> => {
      const steps: string[] = [];
      for await (const step of reports.steps()) steps.push(step);
      return [await lastValueFrom(reports.observable().pipe(toArray())), steps];
    };
    expect(await all(first.get(Reports))).toEqual([
      ['reports', 'second'],
      ['reports', 'second'],
    ]);
    expect(await all(second.get(Reports))).toEqual([[], []]);
    for (let times = 0; times < 3; times += 1) first.get(Reports).observable().subscribe().unsubscribe();
    expect((await all(first.get(Reports))).flat()).toHaveLength(4); // who leaves early takes nothing of the leadership along
    expect(await leads(first)).toBe(true);
  });

  it('should run cron jobs on one application only, in either order of decorators', async () => {
    const runs: string[] = [];
    @Injectable()
    class Jobs {
      @LeaderOnly('reports')
      @Cron(FOREVER_AWAY, { name: 'above', waitForCompletion: true })
      async above(): Promise<void> {
        runs.push(`above ${currentLock().key}`);
      }

      @Cron(FOREVER_AWAY, { name: 'below', waitForCompletion: true })
      @LeaderOnly('reports')
      async below(): Promise<void> {
        runs.push(`below ${currentLock().key}`);
      }
    }
    const apps = [await start([Jobs]), await start([Jobs])];
    await waitFor(async () => (await fleet.contenders('reports')).length === 2);
    const fire = async (): Promise<void> => {
      for (const app of apps) {
        for (const name of ['above', 'below']) await app.get(SchedulerRegistry).getCronJob(name).fireOnTick();
      }
    };
    await waitFor(async () => {
      await fire();
      return runs.length > 0;
    });
    runs.length = 0;
    await fire();
    expect(runs).toEqual(['above reports', 'below reports']);
  });

  it('should let methods of one leadership run side by side', async () => {
    const [first] = await twins();
    const reports = first.get(Reports);
    const long = reports.long();
    expect(await reports.nightly('x')).toContain('x reports');
    reports.finish();
    expect(await long).toBe('done');
  });

  it('should hand leadership over at shutdown, before the session timeout', async () => {
    const [first, second] = await twins();
    await first.close();
    await waitFor(() => second.get(Reports).nightly('x'));
    expect(await fleet.contenders('reports')).toHaveLength(1);
  });

  it('should let a method end at shutdown before anybody else leads, and start no new one', async () => {
    const [first, second] = await twins();
    const reports = first.get(Reports);
    const long = reports.long();
    await waitFor(() => reports.begun === 1);
    const seen: unknown[] = [];
    first.get(Lingering).until = async () => {
      seen.push(await reports.nightly('x'), await second.get(Reports).nightly('x'));
      seen.push((await fleet.contenders('reports')).length);
      reports.finish();
      seen.push(await long);
      seen.push(await waitFor(() => second.get(Reports).nightly('x')));
    };
    await first.close();
    expect(seen).toEqual([undefined, undefined, 2, 'done', 'x reports leader bigint']);
  });

  it('should leave a method its leadership for the grace of the shutdown', async () => {
    const [first, second] = await twins();
    const reports = first.get(Reports);
    const long = reports.long();
    await waitFor(() => reports.begun === 1);
    const closing = first.close();
    const since = performance.now();
    await waitFor(() => performance.now() - since > 1_000); // everything else has ended long ago
    expect(reports.signal?.aborted).toBe(false);
    expect(await second.get(Reports).nightly('x')).toBeUndefined();
    reports.finish();
    expect(await long).toBe('done');
    await waitFor(() => second.get(Reports).nightly('x'));
    await closing;
  });

  it('should tell a method that outlives the grace', async () => {
    const [first, second] = await twins();
    const reports = first.get(Reports);
    const long = reports.long();
    await waitFor(() => reports.begun === 1);
    await first.close();
    expect(reports.signal?.aborted).toBe(true);
    await waitFor(() => second.get(Reports).nightly('x'));
    reports.finish();
    await expect(long).rejects.toMatchObject({ code: 'ZK_LOCK_LOST', reason: 'shutdown' });
  });

  it.each(['long', 'ignoring'] as const)(
    'should tell of a loss while the method runs: %s',
    async (method) => {
      const [first, second] = await twins(6_000); // a leader looks at its node every second
      const reports = first.get(Reports);
      const call = reports[method]().catch((error: unknown) => error);
      await waitFor(() => reports.begun === 1);
      const [leader] = await first.get(LockService).leaderElection('reports').participants();
      await fleet.admin.delete(leader!.path);
      await waitFor(() => second.get(Reports).nightly('x'));
      await waitFor(() => reports.signal?.aborted);
      expect(await reports.nightly('x')).toBeUndefined();
      reports.finish();
      if (method === 'ignoring') expect(await call).toBe('done');
      else expect(await call).toMatchObject({ code: 'ZK_LOCK_LOST', reason: 'node-removed' });
    },
  );

  it('should take part on the connection that it names, and refuse to start without it', async () => {
    @Injectable()
    class Billing {
      @LeaderOnly('invoices', { connection: 'billing' })
      async bill(): Promise<string | undefined> {
        return currentLock().path;
      }
    }
    await expect(fleet.app({ providers: [Billing] })).rejects.toThrow(
      messages.noSuchConnection('Billing.bill', 'billing'),
    );
    const billing = ZkLockModule.forRoot({
      connectString: fleet.server.connectString,
      connectionName: 'billing',
      root: '/billing',
    });
    const app = await fleet.app({ imports: [billing], providers: [Billing] });
    await waitFor(async () => (await app.get(Billing).bill()) === '/billing/invoices');
  });

  it('should lead the election of a path, which is one with that of the key that stands for it', async () => {
    @Injectable()
    class Curated {
      @LeaderOnly({ path: '/curator/leader' })
      async lead(): Promise<string | undefined> {
        return currentLock().path;
      }

      @LeaderOnly({ path: '/locks/reports' })
      async byPath(): Promise<string | undefined> {
        return currentLock().key;
      }
    }
    const app = await start([Curated, Reports]);
    await waitFor(async () => (await app.get(Curated).lead()) === '/curator/leader');
    expect(await fleet.admin.children('/curator/leader')).toEqual([
      expect.stringMatching(/-latch-0000000000$/),
    ]);
    const both = () => Promise.all([app.get(Curated).byPath(), app.get(Reports).nightly('x')]);
    await waitFor(async () => (await both()).every((result) => result !== undefined));
    expect(await fleet.contenders('reports')).toHaveLength(1);
  });

  it('should refuse to start when two methods want one election with different policies', async () => {
    @Injectable()
    class Other {
      @LeaderOnly('reports', { onSuspended: 'step-down' })
      async other(): Promise<void> {
        await Promise.resolve();
      }
    }
    await expect(start([Reports, Other])).rejects.toThrow(
      messages.leaderPolicyDiffers('Other.other', 'reports', 'Reports.nightly'),
    );
  });

  it('should refuse a call on an object that Nest did not make', async () => {
    await expect(new Reports().nightly('x')).rejects.toThrow(messages.interceptorMissing('Reports.nightly'));
  });
});
