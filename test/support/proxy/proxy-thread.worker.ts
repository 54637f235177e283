// The thread in which the proxies run. The ZooKeeper client blocks its thread when it closes, until the server has answered:
// a proxy in the same thread could not carry that answer.
import { workerData } from 'node:worker_threads';
import type { Call, Result, ThreadData } from './proxy-calls.js';
import { ProxyEngine } from './proxy-engine.js';

const { calls, asyncCalls, answered, clockOffset } = workerData as ThreadData;
const engines = new Map<number, ProxyEngine>();
const now = () => Number(process.hrtime.bigint()) / 1e6 + clockOffset;

calls.on('message', (call: Call) => {
  const { result } = invoke(call);
  calls.postMessage(result);
  Atomics.store(answered, 0, call.id);
  Atomics.notify(answered, 0);
});

asyncCalls.on('message', (call: Call) => {
  void settle(call).then((result) => asyncCalls.postMessage(result));
});

function invoke({ id, engine, method, args }: Call): { result: Result } {
  try {
    const target = engines.get(engine) as unknown as Record<string, (...args: unknown[]) => unknown>;
    return { result: { id, value: target[method]!(...args) } };
  } catch (error) {
    return { result: { id, error: String(error) } };
  }
}

async function settle(call: Call): Promise<Result> {
  if (call.method === 'start') {
    engines.set(call.engine, await ProxyEngine.start(call.args[0] as number, now));
    return { id: call.id };
  }
  const { result } = invoke(call);
  try {
    return { ...result, value: await result.value };
  } catch (error) {
    return { id: call.id, error: String(error) };
  }
}
