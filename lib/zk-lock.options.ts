/** STUB: fields fixed by design section 5; checks being built. */
export interface ZkLockModuleOptions {
  connectString: string;
  sessionTimeoutMs?: number;
  root?: string;
  auth?: { scheme: 'digest'; credentials: string };
  startup?: 'require' | 'background';
  connectTimeoutMs?: number;
  waitMs?: number;
  attemptMs?: number;
  releaseWaitMs?: number;
  shutdownGraceMs?: number;
}
