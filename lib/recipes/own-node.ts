import { isZkOperationError, ZkCode } from '../errors/zk-operation.error.js';
import type { ZkSession } from '../session/zk-session.js';
import type { KnownQueue } from './known-queue.js';

/** The node of one contender, and the news of its removal by somebody else. */
export class OwnNode {
  /** True once somebody removed the node. */
  removed = false;
  /** It may be kept for a while when nobody has it. */
  lingers = false;
  /** What it held at the latest look: the same Buffer as long as nobody overwrites it. */
  data: Buffer | undefined;
  /** At least the zxid of its creation, and below that of every later contender's; once it is known. */
  zxid: number | undefined;
  /** Grants on this `zxid` so far. */
  grants = 0;
  private listeners: Set<() => void> | undefined; // made when somebody listens
  private watched = false;
  /** How often it had been overwritten at the latest look. */
  private version: number | undefined;
  /** The version that is being replaced. */
  private replaced: number | undefined;
  private looking: Promise<number | undefined> | undefined;
  private readonly unlisten: () => void;

  constructor(
    readonly session: ZkSession,
    readonly path: string,
    private readonly known?: KnownQueue,
  ) {
    this.unlisten = session.watches.listen(path, (event) => {
      this.watched = false;
      if (event === 'deleted') this.removed = true;
      this.tell();
    });
  }

  get name(): string {
    return this.path.slice(this.path.lastIndexOf('/') + 1);
  }

  /** Calls the listener at every event on the node, and when a look found it missing. The returned function takes it away. */
  listen(listener: () => void): () => void {
    const listeners = (this.listeners ??= new Set());
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /**
   * Reads the node and watches it from then on; those who look at the same time share one request. Resolves to its
   * `zxid`, or undefined when the node is gone or is not this session's (then `removed` is set).
   */
  look(): Promise<number | undefined> {
    this.looking ??= this.read(true).finally(() => (this.looking = undefined));
    return this.looking;
  }

  /** Reads the node with a request of its own, which is sent after whatever was sent before. Resolves like `look`. */
  async read(watch = false): Promise<number | undefined> {
    try {
      const { stat, data } = await this.session.get(this.path, watch);
      this.watched ||= watch;
      if (this.version !== stat.version) this.data = data;
      this.version = stat.version;
      if (this.session.owns(stat)) return (this.zxid ??= stat.czxid);
    } catch (error) {
      if (!isZkOperationError(error, ZkCode.noNode)) throw error;
    }
    this.noteRemoved();
    return undefined;
  }

  /** It is not among its parent's children any more. */
  noteRemoved(): void {
    this.removed = true;
    this.tell();
  }

  /** Replaces what the latest look found, if that is still there. Nobody waits for it; what fails is seen at the next look. */
  replace(data: Buffer): void {
    const { version } = this;
    if (version === undefined || version === this.replaced || this.data?.equals(data) === true) return;
    this.replaced = version;
    this.session.set(this.path, data, version).catch(() => (this.replaced = undefined));
  }

  /** True when the node is watched, or about to be. */
  get isWatched(): boolean {
    return this.watched || this.looking !== undefined;
  }

  /** Hears no more of the node. */
  forget(): void {
    this.unlisten();
    this.listeners?.clear();
  }

  /** Deletes exactly this node; resolves when that is certain. Never rejects. */
  delete(): Promise<void> {
    this.forget();
    const gone = this.session.deletes.delete(this.path);
    this.known?.leave(this);
    return gone;
  }

  private tell(): void {
    for (const listener of [...(this.listeners ?? [])]) listener();
  }
}
