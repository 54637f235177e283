import { setImmediate as turn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { EMPTY, from, lastValueFrom, Observable, of, toArray } from 'rxjs';
import { LockLostError } from '../../lib/errors/lock-lost.error.js';
import { type LockTimeoutError } from '../../lib/errors/lock-timeout.error.js';
import { DistributedLock } from '../../lib/locking/distributed-lock.decorator.js';
import { LockService } from '../../lib/locking/lock.service.js';
import type { HeldLock } from '../../lib/recipes/held-lock.js';
import { currentLock } from '../../lib/recipes/lock-context.js';
import { waitFor } from '../support/wait-for.js';
import { Fleet } from './fixtures/fleet.js';

let fleet: Fleet;
let jobs: Jobs;
let locks: LockService;

const waitedFor = (error: LockTimeoutError): string => `busy: ${error.key ?? ''}`;

@Injectable()
class Jobs {
  runs = 0;
  readonly tenant = 'acme';
  readonly failure = new Error('own');

  @DistributedLock('job', { waitMs: 0 })
  async throwing(): Promise<void> {
    this.runs += 1;
    await turn();
  }

  @DistributedLock('job', { waitMs: 0, onBusy: 'skip' })
  async skipping(): Promise<string | undefined> {
    this.runs += 1;
    return 'ran';
  }

  @DistributedLock('job', { waitMs: 0, onBusy: 'skip' })
  skippingObservable(): Observable<string> {
    this.runs += 1;
    return of('ran');
  }

  @DistributedLock('job', { waitMs: 0, onBusy: 'skip' })
  async *skippingGenerator(): AsyncGenerator<string> {
    this.runs += 1;
    yield 'ran';
  }

  @DistributedLock('job', { waitMs: 0, onBusy: (error, id: string) => `${waitedFor(error)} ${id}` })
  async falling(id: string): Promise<string> {
    return `ran ${id}`;
  }

  @DistributedLock('job', { waitMs: 0, onBusy: (error, id: string) => from([waitedFor(error), id]) })
  fallingObservable(id: string): Observable<string> {
    return id === '' ? EMPTY : of('ran');
  }

  @DistributedLock('job', {
    waitMs: 0,
    onBusy: async function* (error: LockTimeoutError) {
      yield waitedFor(error);
    },
  })
  async *fallingGenerator(): AsyncGenerator<string> {
    yield 'ran';
  }

  @DistributedLock('job', { condition: (dry: boolean) => !dry, waitMs: 0 })
  async unlessDry(dry: boolean): Promise<string> {
    return dry ? 'ran without the lock' : currentLock().key;
  }

  @DistributedLock('job', { signal: (signal: AbortSignal) => signal })
  async cancellable(signal: AbortSignal): Promise<boolean> {
    return signal.aborted;
  }

  @DistributedLock('job', { minHoldMs: 1_500 })
  async short(): Promise<string> {
    return 'over';
  }

  @DistributedLock('lossy')
  async losing(fails: boolean): Promise<string> {
    const { signal } = currentLock();
    await fleet.removeNodes('lossy');
    await waitFor(() => signal.aborted);
    if (fails) throw this.failure;
    return 'done';
  }

  @DistributedLock('lossy', { onLost: 'ignore' })
  async ignoring(): Promise<string> {
    const { signal } = currentLock();
    await fleet.removeNodes('lossy');
    await waitFor(() => signal.aborted);
    return 'done';
  }
}

beforeAll(async () => {
  fleet = await Fleet.start();
});
beforeEach(async () => {
  const app = await fleet.app({ providers: [Jobs] });
  jobs = app.get(Jobs);
  locks = (await fleet.app({})).get(LockService);
});
afterEach(() => fleet.closeApps());
afterAll(() => fleet[Symbol.asyncDispose]());

describe('Option onBusy', () => {
  let holder: HeldLock;
  beforeEach(async () => {
    holder = await locks.acquire('job');
  });

  it('should throw by default, without having run the method', async () => {
    await expect(jobs.throwing()).rejects.toMatchObject({ code: 'ZK_LOCK_TIMEOUT', key: 'job' });
    expect(jobs.runs).toBe(0);
    await holder.release();
    await jobs.throwing();
    expect(jobs.runs).toBe(1);
  });

  it('should skip the call: undefined, an empty Observable, an empty generator', async () => {
    expect(await jobs.skipping()).toBeUndefined();
    expect(await lastValueFrom(jobs.skippingObservable().pipe(toArray()))).toEqual([]);
    expect(await jobs.skippingGenerator().next()).toEqual({ done: true, value: undefined });
    expect(jobs.runs).toBe(0);
    await holder.release();
    expect(await jobs.skipping()).toBe('ran');
  });

  it('should call the fallback with the error and the arguments', async () => {
    expect(await jobs.falling('7')).toBe('busy: job 7');
    expect(await lastValueFrom(jobs.fallingObservable('7').pipe(toArray()))).toEqual(['busy: job', '7']);
    expect(await jobs.fallingGenerator().next()).toEqual({ done: false, value: 'busy: job' });
    await holder.release();
    expect(await jobs.falling('7')).toBe('ran 7');
  });

  it('should not take anything else for busy', async () => {
    await fleet.withoutServer(() =>
      expect(jobs.skipping()).rejects.toMatchObject({ code: 'ZK_LOCK_CONNECTION' }),
    );
    expect(jobs.runs).toBe(0);
  });
});

describe('Other options', () => {
  it('B37 should run without the lock only where condition returns false', async () => {
    const holder = await locks.acquire('job');
    expect(await jobs.unlessDry(true)).toBe('ran without the lock');
    await expect(jobs.unlessDry(false)).rejects.toMatchObject({ code: 'ZK_LOCK_TIMEOUT' });
    await expect(jobs.unlessDry(undefined as never)).rejects.toMatchObject({ code: 'ZK_LOCK_TIMEOUT' });
    await holder.release();
    expect(await jobs.unlessDry(false)).toBe('job');
  });

  it('should give up the wait when signal aborts', async () => {
    const holder = await locks.acquire('job');
    const controller = new AbortController();
    const call = jobs.cancellable(controller.signal);
    await fleet.admin.waitForChildren('/locks/job', 2);
    controller.abort(new Error('enough'));
    await expect(call).rejects.toMatchObject({ code: 'ZK_LOCK_ABORTED', cause: { message: 'enough' } });
    await fleet.admin.waitForChildren('/locks/job', 1);
    await holder.release();
  });

  it('should return at once with minHoldMs, and keep others out for the rest of the time', async () => {
    const start = performance.now();
    expect(await jobs.short()).toBe('over');
    const returned = performance.now();
    expect(await locks.tryAcquire('job')).toBeNull();
    await (await locks.acquire('job')).release();
    const passedOn = performance.now();
    expect(passedOn - start).toBeGreaterThanOrEqual(1_500);
    expect(returned).toBeLessThan(passedOn);
  });

  it('should reject when the lock was lost, with the own error of the method as cause', async () => {
    const lost = await jobs.losing(false).catch((error: unknown) => error);
    expect(lost).toBeInstanceOf(LockLostError);
    expect(lost).toMatchObject({ key: 'lossy', reason: 'node-removed' });
    await expect(jobs.losing(true)).rejects.toMatchObject({ code: 'ZK_LOCK_LOST', cause: jobs.failure });
  });

  it("should give the own result with onLost: 'ignore'", async () => {
    expect(await jobs.ignoring()).toBe('done');
  });
});
