import { isZkOperationError, ZkCode } from '../errors/zk-operation.error.js';
import type { ZkSession } from '../session/zk-session.js';

/** The node of one contender, and the news of its removal by somebody else. */
export class OwnNode {
  /** True once somebody removed the node. */
  removed = false;
  /** What it held at the latest look. */
  data: Buffer | undefined;
  /** The zxid of its creation, once the node was looked at. */
  zxid: number | undefined;
  /** Called at every event on the node, and when a look found it missing. */
  onEvent: () => void = () => undefined;
  private watched = false;
  private readonly unlisten: () => void;

  constructor(
    readonly session: ZkSession,
    readonly path: string,
  ) {
    this.unlisten = session.watches.listen(path, (event) => {
      this.watched = false;
      if (event === 'deleted') this.removed = true;
      this.onEvent();
    });
  }

  /**
   * Reads the node and watches it from then on. Resolves to the zxid of its creation, or undefined when the node is
   * gone or is not this session's (then `removed` is set).
   */
  async look(): Promise<number | undefined> {
    try {
      const { stat, data } = await this.session.get(this.path, true);
      this.watched = true;
      this.data = data;
      if (this.session.owns(stat)) return (this.zxid = stat.czxid);
    } catch (error) {
      if (!isZkOperationError(error, ZkCode.noNode)) throw error;
    }
    this.removed = true;
    this.onEvent();
    return undefined;
  }

  get isWatched(): boolean {
    return this.watched;
  }

  /** Hears no more of the node. */
  forget(): void {
    this.unlisten();
    this.onEvent = () => undefined;
  }

  /** Deletes exactly this node; resolves when that is certain. Never rejects. */
  delete(): Promise<void> {
    this.forget();
    return this.session.deletes.delete(this.path);
  }
}
