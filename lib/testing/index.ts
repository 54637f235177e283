export {
  TestingServer,
  type TestingClock,
  type TestingServerOptions,
  type TestingSession,
} from './testing-server.js';
export type { InterceptedRequest, Rule, Verdict } from './server/rules.js';
