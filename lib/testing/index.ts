export {
  TestingServer,
  type TestingClock,
  type TestingServerOptions,
  type TestingSession,
} from './testing-server.js';
export type { InterceptedOperation, InterceptedRequest, InterceptOptions, Rule } from './server/rules.js';
export type { Verdict } from './server/verdict.js';
export type { ErrorName } from './wire/error-codes.js';

export { ZkLockTestingModule, type ZkLockTestingModuleOptions } from './nest/zk-lock-testing.module.js';
export { ZkLockTesting, type ExpectLockOptions, type HoldLockOptions } from './nest/zk-lock-testing.js';
export { LockExpectationError } from './nest/lock-expectation.error.js';
