/** Something that lives on the session and must hear of its fate: a waiting or a held lock. */
export interface SessionMember {
  /** True for what only waits: it needs a fresh lease when it is granted, and may ask for that then. */
  readonly onlyWaits?: boolean;
  /** Connected again in the same session and caught up with the leader: look at your nodes again. */
  restored?(): void;
  /** The lease deadline has passed: whatever is held may by now be held by somebody else. */
  leaseExpired?(): void;
  /** The session is over, and its nodes with it (or soon). */
  ended?(): void;
  /** Called every sixth of the session timeout while connected. */
  tick?(): void;
}
