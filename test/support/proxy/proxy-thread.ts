import { MessageChannel, receiveMessageOnPort, Worker, type MessagePort } from 'node:worker_threads';
import type { Call, EngineMethod, Result, ThreadData } from './proxy-calls.js';
import type { ProxyEngine } from './proxy-engine.js';

const LONGEST_CALL_MS = 60_000;

type Arguments<M extends EngineMethod> = Parameters<ProxyEngine[M]>;
type Value<M extends EngineMethod> = Awaited<ReturnType<ProxyEngine[M]>>;

/** The caller's side of the thread of the proxies. One thread serves all proxies of a test file. */
export class ProxyThread {
  private static instance: ProxyThread | undefined;

  static shared(): ProxyThread {
    return (ProxyThread.instance ??= new ProxyThread());
  }

  private readonly calls: MessagePort;
  private readonly asyncCalls: MessagePort;
  private readonly answered = new Int32Array(new SharedArrayBuffer(4));
  private readonly waiting = new Map<number, (result: Result) => void>();
  private lastCall = 0;
  private lastAsyncCall = 0;
  private lastEngine = 0;

  private constructor() {
    const [calls, asyncCalls] = [new MessageChannel(), new MessageChannel()];
    this.calls = calls.port1;
    this.asyncCalls = asyncCalls.port1;
    const workerData: ThreadData = {
      calls: calls.port2,
      asyncCalls: asyncCalls.port2,
      answered: this.answered,
      clockOffset: performance.now() - Number(process.hrtime.bigint()) / 1e6,
    };
    const worker = new Worker(new URL('proxy-thread.worker.ts', import.meta.url), {
      workerData,
      transferList: [calls.port2, asyncCalls.port2],
      execArgv: ['--import', new URL('../ts-loader.mjs', import.meta.url).href],
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    worker.on('error', (error) => this.failAll(error));
    this.asyncCalls.on('message', (result: Result) => {
      this.waiting.get(result.id)?.(result);
      this.waiting.delete(result.id);
    });
    // a proxy does not keep the process alive
    worker.unref();
    this.asyncCalls.unref();
  }

  /** Makes a proxy before the server on the port and hands back the proxy's number. */
  async start(serverPort: number): Promise<number> {
    const engine = ++this.lastEngine;
    await this.send({ engine, method: 'start', args: [serverPort] });
    return engine;
  }

  /** Calls a method of the proxy; when this returns, it has been done. */
  call<M extends EngineMethod>(engine: number, method: M, ...args: Arguments<M>): Value<M> {
    const id = ++this.lastCall;
    this.calls.postMessage({ id, engine, method, args } satisfies Call);
    const outcome = Atomics.wait(this.answered, 0, id - 1, LONGEST_CALL_MS);
    const received: { message: unknown } | undefined = receiveMessageOnPort(this.calls);
    if (outcome === 'timed-out' || !received) throw new Error(`The proxy's thread did not answer ${method}.`);
    return valueOf(received.message as Result) as Value<M>;
  }

  /** Calls a method of the proxy that waits for something. */
  async callAsync<M extends EngineMethod>(
    engine: number,
    method: M,
    ...args: Arguments<M>
  ): Promise<Value<M>> {
    return valueOf(await this.send({ engine, method, args })) as Value<M>;
  }

  private send(call: Omit<Call, 'id'>): Promise<Result> {
    const id = ++this.lastAsyncCall;
    this.asyncCalls.postMessage({ ...call, id } satisfies Call);
    return new Promise((resolve) => this.waiting.set(id, resolve));
  }

  private failAll(error: unknown): void {
    for (const [id, settle] of this.waiting)
      settle({ id, error: `The proxy's thread failed: ${String(error)}` });
    this.waiting.clear();
  }
}

function valueOf({ value, error }: Result): unknown {
  if (error !== undefined) throw new Error(error);
  return value;
}
