import type { ConfigService } from '@nestjs/config';
import type { ZkLockModuleOptions } from 'nestjs-zk-lock';
import type { Environment } from './environment.js';

export function zkLockOptions(config: ConfigService<Environment, true>): ZkLockModuleOptions {
  const credentials = config.get('ZK_AUTH', { infer: true });
  return {
    connectString: config.get('ZK_CONNECT', { infer: true }),
    root: config.get('ZK_ROOT', { infer: true }),
    sessionTimeoutMs: config.get('ZK_SESSION_TIMEOUT_MS', { infer: true }),
    ...(credentials && { auth: { scheme: 'digest', credentials } }),
  };
}
