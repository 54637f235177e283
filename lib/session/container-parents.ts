import { isZkOperationError, ZkCode } from '../errors/zk-operation.error.js';
import { parentOf } from './znode-path.js';
import type { ZkAcl, ZkNodeKind } from './zk-client.js';

/** What is needed of a session to make parents. */
export interface NodeMaker {
  create(path: string, data: Buffer, kind: ZkNodeKind): Promise<string>;
  setAcl(path: string, acl: readonly ZkAcl[]): Promise<void>;
}

export interface ParentsOptions {
  /** Paths up to and including this one are persistent: the chroot, and with an ACL the root too. */
  readonly persistentUpTo: string;
  /** Set on every parent that we make, when given. */
  readonly acl?: readonly ZkAcl[];
}

const EMPTY = Buffer.alloc(0);
const REMEMBERED = 10_000;

/**
 * Makes the parents of lock nodes. They are containers, which the server removes some time after their last child
 * went, so that a million `order-pay:<id>` do not fill it; what is known to exist is a guess that NoNode corrects.
 */
export class ContainerParents {
  private readonly known = new Set<string>();

  constructor(
    private readonly maker: NodeMaker,
    private readonly options: ParentsOptions,
  ) {}

  isKnown(path: string): boolean {
    return this.known.has(path);
  }

  remember(path: string): void {
    // A Set keeps the order of insertion: the first is the least recently used one.
    this.known.delete(path);
    this.known.add(path);
    if (this.known.size > REMEMBERED) for (const oldest of this.known) return void this.known.delete(oldest);
  }

  forget(path: string): void {
    this.known.delete(path);
  }

  /** With an ACL each container has to be secured before a lock node is put into it, which takes a round trip. */
  get canBePipelined(): boolean {
    return this.options.acl === undefined;
  }

  /**
   * Makes `path` and whatever above it is missing, from the bottom up: permission is needed only where something is
   * really missing.
   */
  async make(path: string): Promise<void> {
    try {
      await this.makeOne(path);
    } catch (error) {
      if (!isZkOperationError(error, ZkCode.noNode)) throw error;
      await this.make(parentOf(path));
      await this.makeOne(path);
    }
    this.remember(path);
  }

  private async makeOne(path: string): Promise<void> {
    const { persistentUpTo, acl } = this.options;
    const persistent = path === persistentUpTo || persistentUpTo.startsWith(`${path}/`);
    try {
      await this.maker.create(path, EMPTY, persistent ? 'persistent' : 'container');
    } catch (error) {
      if (isZkOperationError(error, ZkCode.nodeExists)) return;
      throw error;
    }
    if (acl !== undefined) await this.maker.setAcl(path, acl);
  }
}
