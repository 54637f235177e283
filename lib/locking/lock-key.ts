/** A finished key: made by `lockKey()`, already encoded, never encoded again. */
export interface LockKey {
  /** As people read it, for messages: `order-pay:42`. */
  readonly text: string;
  /** The name of the node under the root. */
  readonly nodeName: string;
}
