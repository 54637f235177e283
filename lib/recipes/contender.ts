/** One contender of a lock, as read from ZooKeeper. */
export interface Contender {
  /** Place in the queue: 1 holds (or is about to). */
  readonly position: number;
  readonly state: 'holding' | 'waiting';
  /** When its node was made, by ZooKeeper's clock. */
  readonly since: Date;
  /** Sequence number of its node. */
  readonly sequence: number;
  /** ZooKeeper session that owns the node, `0x…`. */
  readonly sessionId: string;
  /** The full path of its node. */
  readonly path: string;
  /** True when the node belongs to this process's session. */
  readonly mine: boolean;
  /** Undefined for contenders of other libraries (Curator, …). */
  readonly host?: string;
  readonly pid?: number;
  readonly instance?: string;
  readonly purpose?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}
