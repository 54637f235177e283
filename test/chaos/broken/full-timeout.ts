import { Lease } from '../../../lib/session/lease.js';

/** The lease lasts the whole session timeout, as if the leader had heard the last request the moment it was sent. */
export function fullTimeout(): void {
  const setTimeout = Lease.prototype.setTimeout;
  Lease.prototype.setTimeout = function (this: Lease, negotiatedTimeoutMs) {
    setTimeout.call(this, (negotiatedTimeoutMs * 3) / 2);
  };
}
