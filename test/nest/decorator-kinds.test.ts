import { Injectable } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DistributedLock } from '../../lib/locking/distributed-lock.decorator.js';
import { currentLock } from '../../lib/recipes/lock-context.js';
import { waitFor } from '../support/wait-for.js';
import { Fleet } from './fixtures/fleet.js';

/** Counts who is inside, over both applications of the test, and lets everybody go when it is told to. */
const section = { inside: 0, most: 0, open: false };

async function enter(): Promise<string> {
  section.most = Math.max(section.most, (section.inside += 1));
  await waitFor(() => section.open);
  section.inside -= 1;
  return `${currentLock().mode} ${currentLock().path}`;
}

@Injectable()
class Reports {
  @DistributedLock('report:<0>', { mode: 'read' })
  read(_tenant: string): Promise<string> {
    return enter();
  }

  @DistributedLock('report:<0>', { mode: 'write' })
  write(_tenant: string): Promise<string> {
    return enter();
  }

  @DistributedLock('convert', { permits: 2 })
  convert(): Promise<string> {
    return enter();
  }

  @DistributedLock('order-pay:<0>', { stripes: 1 })
  pay(_id: number): Promise<string> {
    return enter();
  }

  @DistributedLock(['account:<0>', 'account:<1>'])
  async transfer(_from: string, _to: string): Promise<string[]> {
    return [...currentLock().fencingTokens.keys()];
  }
}

describe('@DistributedLock of every kind', () => {
  let fleet: Fleet;
  let one: Reports;
  let two: Reports;

  beforeAll(async () => {
    fleet = await Fleet.start();
    [one, two] = await fleet.twins(Reports);
  });
  afterAll(() => fleet[Symbol.asyncDispose]());

  /** Starts the calls, waits until as many are inside as may be, and lets them all go. */
  async function run(calls: (() => Promise<string>)[], inside: number): Promise<string[]> {
    Object.assign(section, { inside: 0, most: 0, open: false });
    const running = calls.map((call) => call());
    await waitFor(() => section.inside === inside);
    section.open = true;
    const results = await Promise.all(running);
    return results;
  }

  it('should let readers in together', async () => {
    const results = await run([() => one.read('a'), () => two.read('a'), () => two.read('a')], 3);
    expect(new Set(results)).toEqual(new Set(['read /locks/report:a']));
  });

  it('should let a writer in alone', async () => {
    const results = await run([() => one.write('b'), () => two.write('b')], 1);
    expect(section.most).toBe(1);
    expect(results).toEqual(['write /locks/report:b', 'write /locks/report:b']);
  });

  it('should let as many in as there are permits', async () => {
    await run([() => one.convert(), () => two.convert(), () => one.convert(), () => two.convert()], 2);
    expect(section.most).toBe(2);
  });

  it('should map keys to stripes', async () => {
    const results = await run([() => one.pay(1), () => two.pay(2)], 1);
    expect(section.most).toBe(1);
    expect(new Set(results)).toEqual(new Set(['exclusive /locks/order-pay~0of1']));
  });

  it('should take several keys', async () => {
    const both = await Promise.all([one.transfer('x', 'y'), two.transfer('y', 'x'), one.transfer('z', 'z')]);
    expect(both.map((keys) => keys.sort())).toEqual([
      ['account:x', 'account:y'],
      ['account:x', 'account:y'],
      ['account:z'],
    ]);
  });
});
