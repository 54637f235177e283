import { describe, expect, it } from '@jest/globals';
import { fourLetter } from '../../scripts/zookeeper/zookeeper-process.mjs';
import { startWorker } from './child-process.js';
import { waitFor } from './wait-for.js';

describe('startWorker', () => {
  it('should run the sources of the library with decorators and their metadata', async () => {
    await using worker = startWorker('echo.worker.ts', ['one', 'two']);
    await expect(worker.ask('code')).resolves.toBe('ZK_LOCK_TIMEOUT');
    await expect(worker.ask('metadata')).resolves.toEqual(['Dependency']);
    await expect(worker.ask({ n: 5n })).resolves.toEqual([{ n: 5n }, 'one', 'two']);
  });

  it('should stop where it stands and go on', async () => {
    await using worker = startWorker('echo.worker.ts');
    await worker.ask('ready');
    worker.pause();
    await expect(worker.ask('hello', 100)).rejects.toThrow('sent no message within 100 ms');
    worker.resume();
    await expect(worker.next()).resolves.toEqual(['hello']);
  });

  it('should tell how the process ended', async () => {
    const worker = startWorker('echo.worker.ts');
    await worker.ask('ready');
    const unanswered = worker.next();
    await expect(
      Promise.all([worker.kill(), expect(unanswered).rejects.toThrow('SIGKILL')]),
    ).resolves.toEqual([{ code: null, signal: 'SIGKILL' }, undefined]);
    await expect(worker.next()).rejects.toThrow('ended with {"code":null,"signal":"SIGKILL"}');
  });

  it('should wait for what the process writes, and end it with a signal', async () => {
    const file = new URL('workers/echo.worker.ts', import.meta.url);
    await using worker = startWorker(file);
    worker.send('write');
    await worker.wrote('written');
    await expect(worker.kill('SIGTERM')).resolves.toEqual({ code: null, signal: 'SIGTERM' });
    await expect(worker.wrote('more')).rejects.toThrow('ended without writing "more"');
  });

  it('should show what a failing process wrote', async () => {
    await using worker = startWorker('echo.worker.ts');
    await expect(worker.ask('throw')).rejects.toThrow(/Error: as asked[^]*echo\.worker\.ts/);
    await expect(worker.exit).resolves.toEqual({ code: 1, signal: null });
  });

  it('should end the ZooKeeper server of a process that was killed', async () => {
    await using worker = startWorker('echo.worker.ts');
    const { port } = await worker.ask<{ port: number; pid: number }>('server');
    await expect(fourLetter(port, 'ruok')).resolves.toBe('imok');
    await worker.kill();
    await waitFor(
      () =>
        fourLetter(port, 'ruok').then(
          () => false,
          () => true,
        ),
      { what: 'the end of the server' },
    );
  });
});
