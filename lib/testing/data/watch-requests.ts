import { AddWatchMode, EventType, SYNC_CONNECTED, WatcherType } from '../wire/constants.js';
import { encode } from '../wire/codec.js';
import { ErrorCode } from '../wire/error-codes.js';
import { OpCode } from '../wire/op-codes.js';
import * as requests from '../wire/requests.js';
import { errorResponseCodec } from '../wire/responses.js';
import { required } from './checks.js';
import type { DataTree } from './data-tree.js';
import type { Read, ReadContext } from './request-context.js';
import type { WatchMode, WatchTable } from './watch-table.js';
import { ZkError } from './zk-error.js';

/** The requests that are about watches and nothing else. */
export const watchRequests: readonly (readonly [number, Read])[] = [
  [
    OpCode.setWatches,
    (context, body) => {
      setWatches(context, requests.setWatchesCodec.read(body));
      return undefined;
    },
  ],
  [
    OpCode.setWatches2,
    (context, body) => {
      const request = requests.setWatches2Codec.read(body);
      setWatches(context, request);
      for (const path of required(request.persistentWatches)) addBoth(context, path, 'persistent');
      for (const path of required(request.persistentRecursiveWatches)) addBoth(context, path, 'recursive');
      return undefined;
    },
  ],
  [
    OpCode.addWatch,
    (context, body) => {
      const { path, mode } = requests.addWatchRequestCodec.read(body);
      addBoth(context, path, watchMode(mode));
      return encode(errorResponseCodec, { err: ErrorCode.OK });
    },
  ],
  [
    OpCode.checkWatches,
    ({ tree }, body) => {
      const { path, type } = requests.checkWatchesRequestCodec.read(body);
      const tables = tablesOf(tree, type);
      const watched = required(path);
      if (watched !== '' && !watched.includes('/')) throw new ZkError(ErrorCode.MarshallingError);
      if (watched === '' || !tables.some((table) => table.isWatched(watched)))
        throw new ZkError(ErrorCode.NoWatcher);
      return undefined;
    },
  ],
  [
    OpCode.removeWatches,
    ({ tree, peer }, body) => {
      const { path, type } = requests.removeWatchesRequestCodec.read(body);
      const removed = tablesOf(tree, type).map((table) => path !== null && table.remove(path, peer));
      if (!removed.includes(true)) throw new ZkError(ErrorCode.NoWatcher);
      return undefined;
    },
  ],
];

/**
 * Sets the one-shot watches of a client that has connected again. What has happened since the zxid that it saw last is
 * reported at once, in place of the watch, in the order of the request.
 */
function setWatches(context: ReadContext, request: requests.SetWatches): void {
  const { tree, peer } = context;
  const since = request.relativeZxid;
  const report = (type: number, path: string) => peer.notify({ type, state: SYNC_CONNECTED, path });
  for (const maybe of required(request.dataWatches)) {
    const path = required(maybe);
    const node = tree.get(path);
    if (!node) report(EventType.NodeDeleted, path);
    else if (node.mzxid > since) report(EventType.NodeDataChanged, path);
    else tree.dataWatches.add(path, peer, 'once');
  }
  for (const maybe of required(request.existWatches)) {
    const path = required(maybe);
    if (tree.get(path)) report(EventType.NodeCreated, path);
    else tree.dataWatches.add(path, peer, 'once');
  }
  for (const maybe of required(request.childWatches)) {
    const path = required(maybe);
    const node = tree.get(path);
    if (!node) report(EventType.NodeDeleted, path);
    else if (node.pzxid > since) report(EventType.NodeChildrenChanged, path);
    else tree.childWatches.add(path, peer, 'once');
  }
}

/** ZooKeeper takes a null as well, and nothing ever happens to it. */
function addBoth({ tree, peer }: ReadContext, path: string | null, mode: WatchMode): void {
  if (path === null) return;
  tree.dataWatches.add(path, peer, mode);
  tree.childWatches.add(path, peer, mode);
}

function watchMode(mode: number): WatchMode {
  if (mode === AddWatchMode.persistent) return 'persistent';
  if (mode === AddWatchMode.persistentRecursive) return 'recursive';
  throw new ZkError(ErrorCode.MarshallingError);
}

function tablesOf({ childWatches, dataWatches }: DataTree, type: number): WatchTable[] {
  if (type === WatcherType.children) return [childWatches];
  if (type === WatcherType.data) return [dataWatches];
  if (type === WatcherType.any) return [childWatches, dataWatches];
  throw new ZkError(ErrorCode.MarshallingError);
}
