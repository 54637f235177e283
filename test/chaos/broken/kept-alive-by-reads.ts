import { now } from '../../../lib/session/lease.js';
import { ZkSession } from '../../../lib/session/zk-session.js';

/** Any answer keeps the lease fresh, also that of a follower which is cut off from its leader. */
export function keptAliveByReads(): void {
  for (const read of ['get', 'getChildren'] as const) {
    const original = ZkSession.prototype[read] as (
      this: ZkSession,
      path: string,
      watch?: boolean,
    ) => Promise<never>;
    ZkSession.prototype[read] = async function (this: ZkSession, path: string, watch?: boolean) {
      const sentAt = now();
      const answer = await original.call(this, path, watch);
      this.lease.confirm(sentAt);
      return answer;
    };
  }
}
