// What tests and the process of the embedded servers say to each other: one TCP connection per server, a line of JSON per
// command and per answer. A server ends with its connection.
import type { TestingServer, TestingServerOptions } from '../../../lib/testing/testing-server.js';

export type Command =
  | { readonly method: 'start'; readonly options: TestingServerOptions }
  | { readonly method: keyof Pick<TestingServer, 'stop' | 'restart' | 'pause' | 'resume'> };

export interface Answer {
  readonly error?: string;
}
