import { ListenersByKey } from './listeners-by-key.js';
import type { ZkWatchEvent } from './zk-client.js';

/** Above this many bytes of watched paths the server refuses the frame in which a reconnect sends them all again. */
export const MAX_WATCH_BYTES = 500_000;

export type WatchListener = (event: ZkWatchEvent) => void;

/**
 * Dispatches the events of the client's default watcher by path. Watches are one-shot: after an event every listener
 * that still cares has to set the watch again with a `get`. There is no way to take a watch back from the server, so
 * one without listeners stays armed until its node changes, and is counted until then.
 */
export class WatchRegistry {
  private readonly listeners = new ListenersByKey<ZkWatchEvent>();
  private readonly armed = new Set<string>();
  private bytes = 0;

  /** Bytes of the paths with a watch set, as a reconnect would send them. */
  get armedBytes(): number {
    return this.bytes;
  }

  /** The returned function takes the listener away. */
  listen(path: string, listener: WatchListener): () => void {
    return this.listeners.listen(path, listener);
  }

  /** A watch is being set on this path. */
  arm(path: string): void {
    if (this.armed.has(path)) return;
    this.armed.add(path);
    this.bytes += Buffer.byteLength(path) + 4;
  }

  /** No watch was set after all. */
  disarm(path: string): void {
    if (this.armed.delete(path)) this.bytes -= Buffer.byteLength(path) + 4;
  }

  dispatch(event: ZkWatchEvent, path: string): void {
    this.disarm(path);
    this.listeners.tell(path, event);
  }
}
