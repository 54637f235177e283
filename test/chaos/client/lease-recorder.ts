import { NativeZkClient } from '../../../lib/session/native-zk-client.js';
import type { ZkClient, ZkClientFactory } from '../../../lib/session/zk-client.js';
import { microseconds } from '../history-writer.js';

/** Requests that the leader has to see; an answered read proves nothing. */
const THROUGH_LEADER: ReadonlySet<string> = new Set(['sync', 'create', 'delete', 'set', 'setAcl']);
/** Codes that only a server gives: NoNode, NoAuth, BadVersion, NoChildrenForEphemerals, NodeExists, NotEmpty, InvalidAcl. */
const SERVERS_CODES: ReadonlySet<unknown> = new Set([-101, -102, -103, -108, -110, -111, -114]);

/** What is known, without the library's own lease, about how long the ensemble keeps a session. */
export class RecordedLease {
  /** µs; grows with every answer that came by way of the leader. */
  deadline = 0;

  constructor(private readonly client: () => ZkClient | undefined) {}

  get session(): string {
    return `0x${this.client()?.sessionId ?? '0'}`;
  }

  confirm(sentAt: number): void {
    const timeoutMs = this.client()?.negotiatedTimeoutMs ?? 0;
    this.deadline = Math.max(this.deadline, Math.floor(sentAt + (timeoutMs * 1_000 * 2) / 3));
  }
}

/**
 * Listens at the port between the library and the client, and works out the lease deadlines by itself: 2/3 of the negotiated
 * timeout after an answered `sync` or write was handed to the client. The library's own deadline is never later, since it takes
 * its time before it calls the client.
 */
export class LeaseRecorder {
  /** Of the session that was opened last. */
  current = new RecordedLease(() => undefined);

  readonly open: ZkClientFactory = (options, listener) => {
    const client = NativeZkClient.open(options, listener);
    const lease = new RecordedLease(() => client);
    this.current = lease;
    return new Proxy(client, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        const method = value as (...args: unknown[]) => unknown;
        if (!THROUGH_LEADER.has(String(name))) return method.bind(target);
        return (...args: unknown[]) => {
          const sentAt = microseconds();
          const answer = method.apply(target, args) as Promise<unknown>;
          // Attached before the library's own handlers: the deadline is known here before it is used there.
          answer.then(
            () => lease.confirm(sentAt),
            (error: unknown) => {
              if (SERVERS_CODES.has((error as { zkCode?: unknown }).zkCode)) lease.confirm(sentAt);
            },
          );
          return answer;
        };
      },
    });
  };
}
