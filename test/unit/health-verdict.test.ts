import { describe, expect, it } from '@jest/globals';
import { livenessOf, readinessOf } from '../../lib/health/health-verdict.js';
import type { ConnectionInfo, ConnectionState } from '../../lib/session/zk-connection.js';

const info = (state: ConnectionState, sinceMs = 0): ConnectionInfo => ({
  state,
  sinceMs,
  server: 'zk1:2181',
  sessionId: '0x1',
  negotiatedTimeoutMs: 9_000,
  pendingDeletes: 0,
});

describe('readinessOf', () => {
  it.each([
    ['up', undefined, 'connected', 0, 400],
    ['degraded', 'ZK_LOCK_SLOW', 'connected', 0, 401],
    ['down', 'ZK_LOCK_NO_ANSWER', 'connected', 0, undefined],
    ['degraded', 'ZK_LOCK_SUSPENDED', 'suspended', 5_999, undefined],
    ['down', 'ZK_LOCK_SUSPENDED', 'suspended', 6_000, undefined],
    ['down', 'ZK_LOCK_CONNECTING', 'connecting', 5, undefined],
    ['down', 'ZK_LOCK_SESSION_LOST', 'lost', 5, undefined],
    ['down', 'ZK_LOCK_CLOSED', 'closed', 5, undefined],
    ['down', 'ZK_LOCK_CLOSED', 'closed', 5, 1],
  ] as const)(
    'should be %s (%s) when %s for %d ms and answered after %s ms',
    (status, code, state, since, answer) => {
      expect(readinessOf(info(state, since), answer, 800)).toEqual({
        status,
        ...(code !== undefined && { code, message: expect.any(String) }),
      });
    },
  );
});

describe('livenessOf', () => {
  it.each(['connecting', 'connected', 'suspended', 'lost'] as const)('should be up when %s', (state) => {
    expect(livenessOf(info(state, 1e9))).toEqual({ status: 'up' });
  });

  it('should be down when closed', () => {
    expect(livenessOf(info('closed'))).toMatchObject({ status: 'down', code: 'ZK_LOCK_CLOSED' });
  });
});
