import { isOutcomeUnknown, isZkOperationError, ZkCode } from '../errors/zk-operation.error.js';

/** What is needed of a session to delete until it is certain. */
export interface NodeRemover {
  /** Resolves when connected; rejects when the session is over. */
  connected(): Promise<void>;
  delete(path: string): Promise<void>;
  /** Ends the session and with it all its nodes. */
  giveUp(reason: string): void;
}

const REFUSALS_BEFORE_GIVING_UP = 3;
const RETRY_MS = 100;

/**
 * Deletes that end only when the server has confirmed them, or the session is over and its nodes with it. They cannot
 * be cancelled: a node that nobody knows of would block everyone behind it.
 */
export class BackgroundDeletes {
  private readonly running = new Map<string, Promise<void>>();

  constructor(private readonly session: NodeRemover) {}

  /** Deletes that are not confirmed yet. */
  get size(): number {
    return this.running.size;
  }

  /** Resolves when the node is certainly gone. Never rejects. */
  delete(path: string): Promise<void> {
    let running = this.running.get(path);
    if (running === undefined) {
      running = this.deleteUntilConfirmed(path).finally(() => this.running.delete(path));
      this.running.set(path, running);
    }
    return running;
  }

  /** Resolves when all deletes of this moment have ended. */
  async settled(): Promise<void> {
    await Promise.all(this.running.values());
  }

  private async deleteUntilConfirmed(path: string): Promise<void> {
    for (let refusals = 0; ;) {
      try {
        await this.session.delete(path);
        return;
      } catch (error) {
        if (isZkOperationError(error, ZkCode.noNode)) return;
        if (!isOutcomeUnknown(error) && ++refusals === REFUSALS_BEFORE_GIVING_UP) {
          // An orphan ahead of everyone is worse than a new session.
          this.session.giveUp(`deleting ${path} was refused ${refusals} times: ${String(error)}`);
          return;
        }
        if (!isOutcomeUnknown(error)) await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
      try {
        await this.session.connected();
      } catch {
        return; // the session is over
      }
    }
  }
}
