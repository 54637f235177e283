/** A database for the sample: what the environment has to say, and its end. */
export interface TestDatabase {
  readonly variables: Record<string, string>;
  stop(): Promise<void>;
}
