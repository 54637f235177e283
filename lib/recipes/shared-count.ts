import { integers } from '../errors/check-options.js';
import { LockConfigError } from '../errors/lock-config.error.js';
import { shown } from '../errors/shown.js';
import { isZkOperationError, ZkCode } from '../errors/zk-operation.error.js';
import { parentOf } from '../session/znode-path.js';
import type { ZkSession } from '../session/zk-session.js';
import type { LockManager } from './lock-manager.js';

/** The largest count: a signed 32-bit integer, as Curator writes it. */
export const MAX_COUNT = 2 ** 31 - 1;
const COUNTS = integers(0, MAX_COUNT);

/** A number in ZooKeeper that all processes see, on the node and in the format of Curator's SharedCount. */
export class SharedCount {
  /** @internal The full path of its node. */
  readonly node: string;

  constructor(
    /** @internal */
    readonly manager: LockManager,
    readonly key: string,
    nodeName: string,
  ) {
    this.node = manager.pathOf(nodeName);
  }

  /** The path of its node, below the chroot. */
  get path(): string {
    return this.manager.publicPath(this.node);
  }

  /** Undefined when it was never set.
   * @throws LockConnectionError, LockAccessError */
  async get(): Promise<number | undefined> {
    return this.manager.request(this.key, async (session) => {
      await session.sync();
      return this.read(session);
    });
  }

  /** @internal As the session's server has it. */
  async read(session: ZkSession): Promise<number | undefined> {
    try {
      return readCount((await session.get(this.node)).data);
    } catch (error) {
      if (isZkOperationError(error, ZkCode.noNode)) return undefined;
      throw error;
    }
  }

  /** Sets it for everybody; whoever waits for it is woken. When the answer was lost it is set once more.
   * @throws LockConfigError unless it is an integer from 0 to 2,147,483,647. */
  async set(count: number): Promise<void> {
    const data = writeCount(this.key, count);
    return this.manager.request(this.key, async (session) => {
      while (!(await this.write(session, data)));
    });
  }

  /** False when somebody else made or removed nodes at the same time. */
  private async write(session: ZkSession, data: Buffer): Promise<boolean> {
    try {
      await session.set(this.node, data, -1).catch(async (error: unknown) => {
        if (!isZkOperationError(error, ZkCode.noNode)) throw error;
        await session.create(this.node, data, 'persistent');
      });
      return true;
    } catch (error) {
      if (isZkOperationError(error, ZkCode.nodeExists)) return false;
      if (!isZkOperationError(error, ZkCode.noNode)) throw error;
    }
    await session.parents.make(parentOf(this.node)).catch((error: unknown) => {
      if (!isZkOperationError(error, ZkCode.noNode)) throw error;
    });
    return false;
  }
}

/** Undefined when the data is no count (four bytes, big-endian). */
export function readCount(data: Buffer): number | undefined {
  return data.length === 4 ? data.readInt32BE() : undefined;
}

function writeCount(key: string, count: number): Buffer {
  if (!COUNTS.accepts(count)) {
    throw new LockConfigError(
      `The shared count "${key}" cannot be ${shown(count)}; allowed are ${COUNTS.allowed}.`,
    );
  }
  const data = Buffer.alloc(4);
  data.writeInt32BE(count);
  return data;
}
