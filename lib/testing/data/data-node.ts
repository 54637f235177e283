import type { Acl, Stat } from '../wire/records.js';
import { JavaHashSet } from './java-hash-set.js';
import { ownerKind } from './owner.js';

const NO_CHILDREN: readonly string[] = [];
/** The size of the table that ZooKeeper begins with. */
const CHILDREN_CAPACITY = 8;

/** One node of the tree. */
export class DataNode {
  mzxid: bigint;
  mtime: bigint;
  pzxid: bigint;
  version = 0;
  aversion = 0;
  /** How many children were ever created, an int32: the next sequence number. */
  creates = 0;
  private names: JavaHashSet | undefined;

  constructor(
    public data: Buffer | null,
    public acl: readonly Acl[],
    /** See owner.ts. */
    readonly owner: bigint,
    readonly czxid: bigint,
    readonly ctime: bigint,
  ) {
    this.mzxid = this.pzxid = czxid;
    this.mtime = ctime;
  }

  get numChildren(): number {
    return this.names?.size ?? 0;
  }

  /** Names, in ZooKeeper's order. */
  get children(): readonly string[] {
    return this.names?.toArray() ?? NO_CHILDREN;
  }

  addChild(name: string): void {
    this.names ??= new JavaHashSet(CHILDREN_CAPACITY);
    this.names.add(name);
  }

  removeChild(name: string): void {
    this.names?.delete(name);
  }

  /** As clients see it: `cversion` counts creates and deletes, and only sessions are shown as owners. */
  get stat(): Stat {
    const { czxid, mzxid, ctime, mtime, version, aversion, numChildren, pzxid, owner } = this;
    return {
      czxid,
      mzxid,
      ctime,
      mtime,
      version,
      cversion: (this.creates * 2 - numChildren) | 0,
      aversion,
      ephemeralOwner: ownerKind(owner) === 'session' ? owner : 0n,
      dataLength: this.data?.length ?? 0,
      numChildren,
      pzxid,
    };
  }
}
