/** Permissions of an ACL entry, to be added up (ZooDefs.Perms). */
export const Perms = { READ: 1, WRITE: 2, CREATE: 4, DELETE: 8, ADMIN: 16, ALL: 31 } as const;

/** The `flags` of a create request (CreateMode). */
export const CreateFlag = {
  persistent: 0,
  ephemeral: 1,
  persistentSequential: 2,
  ephemeralSequential: 3,
  container: 4,
  ttl: 5,
  ttlSequential: 6,
} as const;

/** The `type` of a watch event (Watcher.Event.EventType). */
export const EventType = {
  NodeCreated: 1,
  NodeDeleted: 2,
  NodeDataChanged: 3,
  NodeChildrenChanged: 4,
} as const;

/** The `state` in a watch event of a live session (Watcher.Event.KeeperState.SyncConnected). */
export const SYNC_CONNECTED = 3;

/** The `mode` of an addWatch request (AddWatchMode). */
export const AddWatchMode = { persistent: 0, persistentRecursive: 1 } as const;

/** The `type` of removeWatches and checkWatches (Watcher.WatcherType). */
export const WatcherType = { children: 1, data: 2, any: 3 } as const;
