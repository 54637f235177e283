/** The properties that a history has to have, by the letters under which the report shows them. */
export const CHECKS = {
  a: 'no write with an older token was accepted after one with a newer token',
  b: 'tokens of mutexes and writers are unique and rise in the order of the grants',
  c: 'nobody beside the holder of a mutex or a writer, no more permits held than there are',
  d: 'every call was answered within its limit, with the lock or a clean error',
  e: 'no node is left behind',
  f: 'not held from the lease deadline on, and the signal came with it',
  x: 'no client process ended by an error',
} as const;

export type CheckName = keyof typeof CHECKS;

export interface Violation {
  check: CheckName;
  text: string;
  /** The stretch of the history that shows it, in µs. */
  from: number;
  to: number;
  /** The operations that take part in it. */
  ops: readonly string[];
}
