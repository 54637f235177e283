import { EventType } from '../wire/constants.js';
import type { Acl } from '../wire/records.js';
import { OPEN_ACL, READ_ACL } from './access.js';
import { DataNode } from './data-node.js';
import { JavaHashSet } from './java-hash-set.js';
import { ownerKind } from './owner.js';
import { nameOf, parentOf } from './path.js';
import { WatchTable } from './watch-table.js';

/** When a change happened. */
export interface Moment {
  zxid: bigint;
  /** Wall clock, ms. */
  time: bigint;
}

const QUOTA = '/zookeeper/quota';
const CONFIG = '/zookeeper/config';
/** The nodes that nobody may delete. */
const RESERVED = new Set(['/', '/zookeeper', QUOTA, CONFIG]);
const AT_START: Moment = { zxid: 0n, time: 0n };

/** The nodes by path, with what hangs on them: the session's ephemerals, containers, TTL nodes and watches. */
export class DataTree {
  readonly dataWatches = new WatchTable();
  readonly childWatches = new WatchTable();
  /** Paths of containers and of TTL nodes: what the server may remove. */
  readonly reapable = new Set<string>();
  private readonly nodes = new Map<string, DataNode>();
  private readonly ephemerals = new Map<bigint, JavaHashSet>();

  constructor() {
    const root = new DataNode(Buffer.alloc(0), OPEN_ACL, 0n, AT_START.zxid, AT_START.time);
    // As in ZooKeeper, the root has two names: requests may call it by the empty one.
    this.nodes.set('', root);
    this.nodes.set('/', root);
    for (const path of ['/zookeeper', QUOTA, CONFIG])
      this.insert(path, Buffer.alloc(0), OPEN_ACL, 0n, AT_START);
    const config = this.nodes.get(CONFIG);
    if (config) Object.assign(config, { acl: READ_ACL, aversion: -1 });
  }

  /** As ZooKeeper counts them: the root twice. */
  get size(): number {
    return this.nodes.size;
  }

  /** Path and node of everything, the root by both of its names. */
  entries(): IterableIterator<[string, DataNode]> {
    return this.nodes.entries();
  }

  get(path: string): DataNode | undefined {
    return this.nodes.get(path);
  }

  isReserved(path: string): boolean {
    return RESERVED.has(path);
  }

  /** The paths of a session's ephemeral nodes, in ZooKeeper's order. */
  ephemeralsOf(sessionId: bigint): readonly string[] {
    return this.ephemerals.get(sessionId)?.clone().toArray() ?? [];
  }

  get ephemeralCount(): number {
    return [...this.ephemerals.values()].reduce((sum, paths) => sum + paths.size, 0);
  }

  /** Nodes below the path. */
  countBelow(path: string): number {
    if (path === '/') return this.nodes.size - 2;
    let count = 0;
    for (const other of this.nodes.keys()) if (other.startsWith(`${path}/`)) count++;
    return count;
  }

  /**
   * The parent has to exist, the node must not.
   * @param creates the parent's new count of created children; taken, with the zxid as pzxid, only when it is larger
   */
  create(
    path: string,
    data: Buffer | null,
    acl: readonly Acl[],
    owner: bigint,
    creates: number,
    at: Moment,
  ): DataNode {
    const { node, parent, parentPath } = this.insert(path, data, acl, owner, at);
    if (creates > parent.creates) {
      parent.creates = creates;
      parent.pzxid = at.zxid;
    }
    const kind = ownerKind(owner);
    if (kind === 'container' || kind === 'ttl') this.reapable.add(path);
    if (kind === 'session') this.addEphemeral(owner, path);
    this.dataWatches.trigger(path, EventType.NodeCreated, acl);
    this.childWatches.trigger(watchedName(parentPath), EventType.NodeChildrenChanged, parent.acl);
    return node;
  }

  /** Does nothing when the node does not exist. */
  delete(path: string, zxid: bigint): void {
    const node = this.nodes.get(path);
    const parentPath = parentOf(path) ?? '';
    const parent = this.nodes.get(parentPath);
    if (!node || !parent) return;
    this.nodes.delete(path);
    parent.removeChild(nameOf(path));
    if (zxid > parent.pzxid) parent.pzxid = zxid;
    this.reapable.delete(path);
    if (ownerKind(node.owner) === 'session') this.ephemerals.get(node.owner)?.delete(path);
    const told = this.dataWatches.trigger(path, EventType.NodeDeleted, node.acl);
    this.childWatches.trigger(path, EventType.NodeDeleted, node.acl, told);
    this.childWatches.trigger(watchedName(parentPath), EventType.NodeChildrenChanged, parent.acl);
  }

  setData(path: string, node: DataNode, data: Buffer | null, version: number, at: Moment): void {
    node.data = data;
    node.version = version;
    node.mzxid = at.zxid;
    node.mtime = at.time;
    this.dataWatches.trigger(path, EventType.NodeDataChanged, node.acl);
  }

  /** The session's nodes go in ZooKeeper's order, all in one transaction. */
  deleteEphemerals(sessionId: bigint, zxid: bigint): void {
    for (const path of this.ephemeralsOf(sessionId)) this.delete(path, zxid);
    this.ephemerals.delete(sessionId);
  }

  private insert(path: string, data: Buffer | null, acl: readonly Acl[], owner: bigint, at: Moment) {
    const parentPath = parentOf(path) ?? '';
    const parent = this.nodes.get(parentPath);
    if (!parent) throw new Error(`${path} has no parent: a transaction that was not checked`);
    const node = new DataNode(data, acl, owner, at.zxid, at.time);
    this.nodes.set(path, node);
    parent.addChild(nameOf(path));
    return { node, parent, parentPath };
  }

  private addEphemeral(sessionId: bigint, path: string): void {
    let paths = this.ephemerals.get(sessionId);
    if (!paths) this.ephemerals.set(sessionId, (paths = new JavaHashSet()));
    paths.add(path);
  }
}

/** The root's other name is not the one that it is watched by. */
function watchedName(path: string): string {
  return path === '' ? '/' : path;
}
