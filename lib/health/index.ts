export {
  ZkLockHealthIndicator,
  type ZkLockLivenessOptions,
  type ZkLockReadinessOptions,
} from './zk-lock-health.indicator.js';
export type { ZkLockHealthCode, ZkLockHealthDetails } from './health-verdict.js';
