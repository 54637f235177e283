import type { WatchEvent } from '../wire/records.js';
import { EventType, SYNC_CONNECTED } from '../wire/constants.js';
import { mayRead } from './access.js';
import type { Acl } from '../wire/records.js';
import type { Peer } from './peer.js';

export type WatchMode = 'once' | 'persistent' | 'recursive';

/** Who watches which paths, for one of ZooKeeper's two kinds of watches (data and children). */
export class WatchTable {
  private readonly byPath = new Map<string, Map<Peer, WatchMode>>();
  private readonly byPeer = new Map<Peer, Set<string>>();
  private recursive = 0;

  /** One mode for a peer and path: the latest one replaces what was there, a stronger one as well. */
  add(path: string, peer: Peer, mode: WatchMode): void {
    const watchers = getOrAdd(this.byPath, path, () => new Map<Peer, WatchMode>());
    this.countRecursive(watchers.get(peer), mode);
    watchers.set(peer, mode);
    getOrAdd(this.byPeer, peer, () => new Set<string>()).add(path);
  }

  /** False when the peer does not watch the path. */
  remove(path: string, peer: Peer): boolean {
    const watchers = this.byPath.get(path);
    const mode = watchers?.get(peer);
    if (!watchers || mode === undefined) return false;
    this.countRecursive(mode, undefined);
    watchers.delete(peer);
    if (watchers.size === 0) this.byPath.delete(path);
    this.byPeer.get(peer)?.delete(path);
    return true;
  }

  removePeer(peer: Peer): void {
    for (const path of this.byPeer.get(peer) ?? []) this.remove(path, peer);
    this.byPeer.delete(peer);
  }

  /** As ZooKeeper 3.8 answers: anybody's watch on the path counts. */
  isWatched(path: string): boolean {
    return this.byPath.has(path);
  }

  /**
   * Tells everybody who watches the path, or recursively one above it, except those in `told` and those who must not
   * read it. Uses up one-shot watches.
   * @returns who watched it, told or not
   */
  trigger(path: string, type: number, acl: readonly Acl[], told?: ReadonlySet<Peer>): Set<Peer> {
    const watchers = new Set<Peer>();
    for (const [peer, mode] of this.byPath.get(path) ?? []) {
      if (mode === 'recursive' && type === EventType.NodeChildrenChanged) continue;
      watchers.add(peer);
      if (mode === 'once') this.remove(path, peer);
    }
    if (this.recursive > 0 && type !== EventType.NodeChildrenChanged) this.addRecursive(path, watchers);
    const event: WatchEvent = { type, state: SYNC_CONNECTED, path };
    for (const peer of watchers) {
      if (!told?.has(peer) && mayRead(acl, peer)) peer.notify(event);
    }
    return watchers;
  }

  /** Peers that watch something, paths that are watched, and watches in all. */
  get counts(): { peers: number; paths: number; watches: number } {
    let watches = 0;
    for (const watchers of this.byPath.values()) watches += watchers.size;
    return { peers: this.byPeer.size, paths: this.byPath.size, watches };
  }

  private addRecursive(path: string, watchers: Set<Peer>): void {
    for (let above = path; above !== '/' && above !== '';) {
      above = above.slice(0, above.lastIndexOf('/')) || '/';
      for (const [peer, mode] of this.byPath.get(above) ?? []) {
        if (mode === 'recursive') watchers.add(peer);
      }
    }
  }

  private countRecursive(before: WatchMode | undefined, after: WatchMode | undefined): void {
    this.recursive += Number(after === 'recursive') - Number(before === 'recursive');
  }
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}
