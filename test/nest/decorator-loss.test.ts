import { Injectable } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { lastValueFrom, Observable } from 'rxjs';
import { LockLostError } from '../../lib/errors/lock-lost.error.js';
import { DistributedLock } from '../../lib/locking/distributed-lock.decorator.js';
import { currentLock } from '../../lib/recipes/lock-context.js';
import { waitFor } from '../support/wait-for.js';
import { Fleet } from './fixtures/fleet.js';

/** Lets a method begin and end when the test says so. */
class Gate {
  readonly begun: Promise<void>;
  readonly opened: Promise<void>;
  begin!: () => void;
  open!: () => void;
  ended = false;
  signal: AbortSignal | undefined;

  constructor() {
    this.begun = new Promise((resolve) => (this.begin = resolve));
    this.opened = new Promise((resolve) => (this.open = resolve));
  }

  /** What a section does that does not look at the signal. */
  async work(result: string): Promise<string> {
    this.signal = currentLock().signal;
    this.begin();
    await this.opened;
    this.ended = true;
    if (result === 'fail') throw new Error('own error');
    return result;
  }
}

@Injectable()
class Jobs {
  @DistributedLock('loss')
  throwing(gate: Gate, result: string): Promise<string> {
    return gate.work(result);
  }

  @DistributedLock('loss', { onLost: 'abort' })
  aborting(gate: Gate, result: string): Promise<string> {
    return gate.work(result);
  }

  @DistributedLock('loss', { onLost: 'ignore' })
  ignoring(gate: Gate, result: string): Promise<string> {
    return gate.work(result);
  }

  @DistributedLock('loss', { onLost: 'abort' })
  stream(gate: Gate): Observable<string> {
    return new Observable((subscriber) => {
      gate.begin();
      return () => (gate.ended = subscriber.closed);
    });
  }

  @DistributedLock('loss', { onLost: 'abort' })
  async *steps(gate: Gate): AsyncGenerator<string> {
    try {
      yield 'first';
      yield await gate.work('second');
    } finally {
      gate.ended = true;
    }
  }

  @DistributedLock('loss', { onLost: 'abort', maxHoldMs: 200 })
  long(gate: Gate): Promise<string> {
    return gate.work('late');
  }

  @DistributedLock('loss')
  stopping(gate: Gate): Promise<string> {
    const { signal } = currentLock();
    gate.begin();
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
  }
}

describe('@DistributedLock whose lock is lost', () => {
  let fleet: Fleet;
  let jobs: Jobs;
  let others: Jobs;

  beforeAll(async () => {
    fleet = await Fleet.start();
    [jobs, others] = await fleet.twins(Jobs);
  });
  afterEach(async () => {
    await waitFor(async () => (await fleet.admin.children('/locks/loss')).length === 0);
  });
  afterAll(() => fleet[Symbol.asyncDispose]());

  /** An administrator removes the holder's node; its watch tells it so. */
  async function lose(gate: Gate): Promise<void> {
    await gate.begun;
    await fleet.removeNodes('loss');
    await waitFor(() => gate.signal?.aborted !== false);
  }

  it('should tell the holder by itself when somebody removes its node', async () => {
    const gate = new Gate();
    const call = jobs.stopping(gate);
    await lose(gate);
    await expect(call).rejects.toMatchObject({ code: 'ZK_LOCK_LOST', reason: 'node-removed' });
  });

  it('should throw when the method has ended, with its own error as cause (onLost: throw)', async () => {
    for (const result of ['done', 'fail']) {
      const gate = new Gate();
      const call = jobs.throwing(gate, result).catch((error: unknown) => error);
      await lose(gate);
      await others.ignoring(openGate(), 'the next holder');
      gate.open();
      const error = await call;
      expect(gate.ended).toBe(true);
      expect(error).toBeInstanceOf(LockLostError);
      expect((error as LockLostError).cause).toEqual(result === 'fail' ? new Error('own error') : undefined);
    }
  });

  it('should give the own result or error (onLost: ignore)', async () => {
    for (const result of ['done', 'fail']) {
      const gate = new Gate();
      const call = jobs.ignoring(gate, result);
      await lose(gate);
      await others.ignoring(openGate(), 'the next holder');
      gate.open();
      if (result === 'done') expect(await call).toBe('done');
      else await expect(call).rejects.toThrow('own error');
    }
  });

  it('should reject at once while the method goes on (onLost: abort)', async () => {
    const gate = new Gate();
    const call = jobs.aborting(gate, 'fail');
    await lose(gate);
    await expect(call).rejects.toBeInstanceOf(LockLostError);
    expect(gate.ended).toBe(false);
    gate.open();
    await waitFor(() => gate.ended);
  });

  it('should end an Observable at once, and its source (onLost: abort)', async () => {
    const gate = new Gate();
    const call = lastValueFrom(jobs.stream(gate));
    await lose(gate);
    await expect(call).rejects.toBeInstanceOf(LockLostError);
    expect(gate.ended).toBe(true);
  });

  it('should end the step of a generator at once (onLost: abort)', async () => {
    const gate = new Gate();
    const steps = jobs.steps(gate);
    expect(await steps.next()).toEqual({ value: 'first', done: false });
    const second = steps.next();
    await lose(gate);
    await expect(second).rejects.toBeInstanceOf(LockLostError);
    expect(gate.ended).toBe(false);
    gate.open();
    await waitFor(() => gate.ended);
  });

  it('should let nobody in beside a section that outlives maxHoldMs, until it has really ended (B19)', async () => {
    const gate = new Gate();
    const error = await jobs.long(gate).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'ZK_LOCK_LOST', reason: 'max-hold' });
    expect((error as Error).message).toContain('Nobody else gets it');
    expect(await fleet.admin.children('/locks/loss')).toHaveLength(1);
    const next = others.throwing(openGate(), 'next');
    await waitFor(async () => (await fleet.admin.children('/locks/loss')).length === 2);
    gate.open();
    expect(await next).toBe('next');
  });
});

function openGate(): Gate {
  const gate = new Gate();
  gate.open();
  return gate;
}
