// What the thread of the tests and the thread of the proxies say to each other.
import type { MessagePort } from 'node:worker_threads';
import type { ProxyEngine } from './proxy-engine.js';

/** What a new thread is told: see `ProxyThread`. */
export interface ThreadData {
  /** Calls that the caller stands still for. */
  calls: MessagePort;
  /** Calls whose result may take its time. */
  asyncCalls: MessagePort;
  /** One number: how many calls of the first kind have been answered. */
  answered: Int32Array;
  /** Added to the system's steady clock in ms, gives the caller's `performance.now()`. */
  clockOffset: number;
}

export type EngineMethod = Exclude<keyof ProxyEngine, symbol>;

export interface Call {
  id: number;
  engine: number;
  /** `start` makes the engine. */
  method: EngineMethod | 'start';
  args: unknown[];
}

export interface Result {
  id: number;
  value?: unknown;
  error?: string;
}
