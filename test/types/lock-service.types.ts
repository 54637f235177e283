// Compiled, never run: what must not compile is marked, and the marks themselves are checked (see types.test.ts).
import { lockKey, type LockPath, type LockService, type MultiLockPart } from 'nestjs-zk-lock';

export async function fits(locks: LockService): Promise<void> {
  const { read, write } = locks.readWriteLock('rw');
  const size = locks.sharedCount('size');
  const path: LockPath = { path: '/a' };
  const parts: MultiLockPart[] = [
    'a',
    lockKey('a:<id>', { id: 1 }),
    path,
    { path: '/a' },
    { key: path, mode: 'read' },
    { key: 'b' },
    locks.mutex('m'),
    read,
    write,
  ];
  locks.multiLock(parts);
  await locks.acquire({ path: '/a' }, { mode: 'read' });
  await locks.acquire('a', { permits: size, stripes: 8 });
  await locks.contenders(path, { stripes: 8 });
  await locks.requestRelease('a', { stripes: 8, reason: 'deploy' });
  const [contender] = await locks.contenders({ path: (await locks.acquire('a')).path });
  contender?.data satisfies string | undefined;
}

export async function refused(locks: LockService): Promise<void> {
  const { read } = locks.readWriteLock('rw');
  const semaphore = locks.semaphore('s', 3);
  const lock = await locks.acquire('a');
  const [contender] = await locks.contenders('a');
  // @ts-expect-error a lock is no key
  await locks.acquire(read);
  // @ts-expect-error a lock is no key
  await locks.acquire(locks.mutex('m'));
  // @ts-expect-error a lock is no key
  await locks.withLock([locks.mutex('m'), 'a'], () => 1);
  // @ts-expect-error a semaphore is no key
  await locks.acquire(semaphore);
  // @ts-expect-error a held lock is no key
  await locks.acquire(lock);
  // @ts-expect-error a contender is no key
  await locks.contenders(contender!);
  // @ts-expect-error a shared count is no key
  locks.mutex(locks.sharedCount('c'));
  // @ts-expect-error a candidate is no key
  locks.mutex(locks.leaderElection('c'));
  // @ts-expect-error semaphores are no part of a multi-lock
  locks.multiLock([semaphore]);
  // @ts-expect-error held locks are no part of a multi-lock
  locks.multiLock([lock]);
  // @ts-expect-error it is read or write that takes part
  locks.multiLock([locks.readWriteLock('rw')]);
  // @ts-expect-error the mode of a path: { key: { path: '/a' }, mode: 'read' }
  locks.multiLock([{ path: '/a', mode: 'read' }]);
  // @ts-expect-error a misspelt property
  locks.multiLock([{ key: 'b', mod: 'read' }]);
  // @ts-expect-error semaphores are no part of a multi-lock
  locks.multiLock([{ key: 'b', permits: 2 }]);
  // @ts-expect-error not a list
  locks.multiLock('a');
  // @ts-expect-error the mode belongs into the options
  await locks.acquire({ path: '/a', mode: 'read' });
  // @ts-expect-error the number of permits belongs into the options
  await locks.acquire({ path: '/a', permits: 2 });
  // @ts-expect-error a mutex has no permits
  await locks.mutex('a').acquire({ permits: 2 });
  // @ts-expect-error a misspelt option
  await locks.requestRelease('a', { raeson: 'x' });
  // @ts-expect-error there is no such event
  lock.on('lost', () => undefined);
}
