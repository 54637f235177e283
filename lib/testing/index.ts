export {
  TestingServer,
  type TestingClock,
  type TestingServerOptions,
  type TestingSession,
} from './testing-server.js';
export type { InterceptedRequest, Rule, Verdict } from './server/rules.js';

export { ZkLockTestingModule, type ZkLockTestingModuleOptions } from './nest/zk-lock-testing.module.js';
export { ZkLockTesting, type ExpectLockOptions, type HoldLockOptions } from './nest/zk-lock-testing.js';
export { LockExpectationError } from './nest/lock-expectation.error.js';
