import { Injectable, type INestApplication } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DistributedLock } from '../../lib/locking/distributed-lock.decorator.js';
import { LockService } from '../../lib/locking/lock.service.js';
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

  @DistributedLock({ path: '/curator/orders' })
  byPath(): Promise<string> {
    return enter();
  }

  @DistributedLock({ path: '/curator/prices' }, { mode: 'read' })
  readPath(): Promise<string> {
    return enter();
  }

  @DistributedLock({ path: '/curator/converters' }, { permits: 2 })
  permitOfPath(): Promise<string> {
    return enter();
  }

  @DistributedLock((tenant: string) => ({ path: `/curator/tenants/${tenant}` }))
  byFunction(_tenant: string): Promise<string> {
    return enter();
  }

  @DistributedLock([
    { key: 'from:<0>', mode: 'read' },
    { key: { path: '/curator/rates' }, mode: 'write' },
    { key: (_from: string, to: string) => `to:${to}`, mode: 'read' },
    (from: string) => [{ key: `audit:${from}`, mode: 'write' }, { path: '/curator/audit' }],
    'plain:<1>',
  ])
  async mixed(_from: string, _to: string): Promise<string[]> {
    return [...currentLock().fencingTokens.keys()];
  }

  @DistributedLock([{ key: 'rates', mode: 'write' }, 'book:<0>'], { mode: 'read' })
  async ofOptions(_id: string): Promise<void> {
    await enter();
  }

  @DistributedLock((key: unknown) => key as string)
  async byAnything(_key: unknown): Promise<string> {
    return `${currentLock().mode} ${currentLock().path}`;
  }

  @DistributedLock((keys: string[]) => keys, { permits: 2 })
  async permitsOfMany(_keys: string[]): Promise<string> {
    return currentLock().path;
  }

  @DistributedLock(['account:<0>', 'account:<1>'])
  async transfer(_from: string, _to: string): Promise<string[]> {
    return [...currentLock().fencingTokens.keys()];
  }
}

describe('@DistributedLock of every kind', () => {
  let fleet: Fleet;
  let apps: INestApplication[];
  let one: Reports;
  let two: Reports;

  beforeAll(async () => {
    fleet = await Fleet.start();
    apps = await Promise.all([0, 1].map(() => fleet.app({ providers: [Reports] })));
    [one, two] = apps.map((app) => app.get(Reports)) as [Reports, Reports];
  });
  afterAll(() => fleet[Symbol.asyncDispose]());

  const locksOf = (at: number): LockService => apps[at]!.get(LockService);

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

  it('should take a path as it is, as every kind of lock', async () => {
    const locked = { path: '/curator/orders' };
    const service = locksOf(0);
    const paths = await run([() => one.byPath(), () => two.byPath()], 1);
    expect([section.most, new Set(paths)]).toEqual([1, new Set(['exclusive /curator/orders'])]);
    await waitFor(async () => (await service.contenders(locked)).length === 0);
    const readers = await run([() => one.readPath(), () => two.readPath()], 2);
    expect(new Set(readers)).toEqual(new Set(['read /curator/prices']));
    const permits = await run(
      [() => one.permitOfPath(), () => two.permitOfPath(), () => one.permitOfPath()],
      2,
    );
    expect(section.most).toBe(2);
    expect(permits[0]).toContain('permit /curator/converters');
    const made = await run([() => one.byFunction('a'), () => two.byFunction('b')], 2);
    expect(made).toEqual(['exclusive /curator/tenants/a', 'exclusive /curator/tenants/b']);
  });

  it('should take each key of a list in its own mode', async () => {
    expect((await one.mixed('x', 'y')).sort()).toEqual(
      ['/curator/audit', '/curator/rates', 'audit:x', 'from:x', 'plain:y', 'to:y'].sort(),
    );
    const locks = locksOf(1);
    const free = [
      locks.readWriteLock('from:x').read,
      locks.readWriteLock('to:y').read,
      locks.readWriteLock('from:y').read,
    ];
    const taken = await Promise.all(free.map((lock) => lock.acquire()));
    await one.mixed('x', 'y'); // readers beside readers
    await Promise.all(taken.map((lock) => lock.release()));
    for (const lock of [
      locks.readWriteLock('from:x').write,
      locks.readWriteLock({ path: '/curator/rates' }).read,
      locks.readWriteLock('to:y').write,
      locks.readWriteLock('audit:x').read,
      locks.mutex({ path: '/curator/audit' }),
      locks.mutex('plain:y'),
    ]) {
      await using held = await lock.acquire();
      const call = one.mixed('x', 'y');
      await waitFor(async () => (await lock.contenders()).length === 2);
      await held.release();
      await call;
    }
  });

  it('should take the mode of the options where an entry says none', async () => {
    Object.assign(section, { inside: 0, most: 0, open: false });
    const call = one.ofOptions('1');
    await waitFor(() => section.inside === 1);
    const locks = locksOf(1);
    expect(await locks.contenders('rates')).toMatchObject([{ mode: 'write' }]);
    expect(await locks.contenders('book:1')).toMatchObject([{ mode: 'read' }]);
    section.open = true;
    await call;
  });

  it('should read what a key function gives as it reads a list', async () => {
    expect(await one.byAnything({ path: '/curator/a' })).toBe('exclusive /curator/a');
    expect(await one.byAnything({ key: 'b', mode: 'write' })).toBe('write /locks/b');
    expect(await one.byAnything([{ key: { path: '/curator/c' }, mode: 'read' }])).toBe('read /curator/c');
    for (const wrong of [
      { path: '/a', mode: 'read' },
      { key: 'b', mod: 'read' },
      { key: 'b', mode: 'shared' },
    ]) {
      await expect(one.byAnything(wrong)).rejects.toMatchObject({ code: 'ZK_LOCK_CONFIG' });
    }
    for (const wrong of [null, undefined, 7, {}, [null], { path: '/a//b' }, { path: 7 }, { key: null }, []]) {
      await expect(one.byAnything(wrong)).rejects.toMatchObject({ code: 'ZK_LOCK_KEY' });
    }
    await expect(one.permitsOfMany(['a', 'b'])).rejects.toThrow(/"permits" goes with one key/);
    expect(await one.permitsOfMany(['a'])).toContain('/locks/a');
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
