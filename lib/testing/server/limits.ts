/** Answers that one connection may have waiting; then no more of its requests are read (globalOutstandingLimit). */
export const MAX_OUTSTANDING = 1_000;

/** Bytes that a connection may have waiting for a slow reader; then no more of its requests are read. */
export const MAX_UNREAD_BYTES = 1 << 20;

/** Bytes at which a slow reader is cut off: watch events come unasked. ZooKeeper has no such limit and grows. */
export const MAX_UNREAD_EVENTS_BYTES = 16 << 20;

/** How long a connection may live before it has a session, in ms; also the width of the buckets in which idle
 * connections expire (zookeeper.nio.sessionlessCnxnTimeout). */
export const SESSIONLESS_TIMEOUT_MS = 10_000;
