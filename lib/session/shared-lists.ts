import type { ZkStat } from './zk-client.js';

/** The children of a node, as they were at one moment. */
export interface Listing {
  readonly children: readonly string[];
  readonly stat: ZkStat;
  /** Number of the connection over which it was asked for. */
  readonly connection: number;
}

/** What is needed of a session to list. */
export interface Lister {
  readonly connectionNumber: number;
  getChildren(path: string): Promise<{ children: string[]; stat: ZkStat }>;
}

interface Lists {
  running: Promise<Listing>;
  next: Promise<Listing> | undefined;
}

/**
 * Lists of the same node, shared by all who ask at the same time: a thousand callers that come at once need two lists,
 * not a thousand of a thousand names each. Whoever asks gets a list that is sent after the call, so that it sees every
 * write that was sent before it.
 */
export class SharedLists {
  private readonly lists = new Map<string, Lists>();

  constructor(private readonly session: Lister) {}

  list(path: string): Promise<Listing> {
    const lists = this.lists.get(path);
    if (lists === undefined) return this.start(path);
    lists.next ??= lists.running.then(
      () => this.start(path),
      () => this.start(path),
    );
    return lists.next;
  }

  private start(path: string): Promise<Listing> {
    const connection = this.session.connectionNumber;
    const running = this.session.getChildren(path).then((found) => ({ ...found, connection }));
    const lists: Lists = { running, next: undefined };
    this.lists.set(path, lists);
    const finish = (): void => {
      if (lists.next === undefined) this.lists.delete(path); // else the next one has taken its place
    };
    running.then(finish, finish);
    return running;
  }
}
