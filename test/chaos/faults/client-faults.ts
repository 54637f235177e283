import type { FaultAction } from '../../support/zk-proxy.js';
import type { FleetClient } from '../cluster/fleet-client.js';
import type { ClientFault, FaultTools } from './fault.js';

const CUTS: readonly FaultAction[] = ['cut-before', 'cut-after-answer', 'drop-answer-and-cut', 'drop-answer'];
const OPERATIONS = ['create', 'delete', 'getChildren2', 'getData', 'sync'] as const;
/** Longest wait for a request on which a fault is to happen, as a share of the session timeout. */
const PATIENCE = 0.5;

/** Does the same at every proxy of the client. Which of them is in use is the client's secret. */
const everywhere = (client: FleetClient, action: (proxy: FleetClient['proxies'][number]) => void): void =>
  client.proxies.forEach(action);

/** A time around the deadlines of a session: from a small part of it to well beyond it. */
const anyTime = ({ random, sessionTimeoutMs }: FaultTools): number =>
  random.between(Math.round(sessionTimeoutMs / 10), Math.round(1.6 * sessionTimeoutMs));

const partition =
  (direction: 'to-server' | 'to-client' | 'both'): ClientFault =>
  async (client, tools) => {
    everywhere(client, (proxy) => proxy.blackhole(direction));
    await tools.wait(anyTime(tools));
  };

/** Rules stay until their request comes; what is still held at the end is let go. */
const onRequests = async (
  client: FleetClient,
  tools: FaultTools,
  match: { op?: (typeof OPERATIONS)[number]; times?: number },
  action: FaultAction,
  ms: number,
): Promise<void> => {
  const rules = client.proxies.map((proxy) => proxy.on(match, action));
  await tools.wait(ms);
  for (const rule of rules) rule.release();
};

/** Whoever makes one heals the client's connections afterwards. */
export const CLIENT_FAULTS: Readonly<Record<string, ClientFault>> = {
  'partition of a client': partition('both'),
  'partition of a client, to the server': partition('to-server'),
  'partition of a client, to the client': partition('to-client'),

  'connection cut': async (client, { random, wait }) => {
    for (let cuts = random.between(1, 4); cuts > 0; cuts -= 1) {
      everywhere(client, (proxy) => proxy.cutAll());
      await wait(random.between(5, 200));
    }
  },

  'connection refused': async (client, tools) => {
    everywhere(client, (proxy) => {
      proxy.refuse();
      proxy.cutAll();
    });
    await tools.wait(anyTime(tools));
  },

  'cut at a random frame': async (client, tools) => {
    const { random, sessionTimeoutMs } = tools;
    const skipped = client.proxies.map((proxy) => proxy.on({ times: random.between(1, 30) }, 'pass'));
    await onRequests(client, tools, {}, random.pick(CUTS), PATIENCE * sessionTimeoutMs);
    for (const rule of skipped) rule.release();
  },

  'answer lost': async (client, tools) => {
    const { random, sessionTimeoutMs } = tools;
    const op = random.pick(OPERATIONS);
    const times = random.between(1, 3);
    await onRequests(client, tools, { op, times }, 'drop-answer-and-cut', PATIENCE * sessionTimeoutMs);
  },

  'request hangs': async (client, tools) => {
    const { random } = tools;
    const op = random.pick(OPERATIONS);
    const action = random.pick(['hold-answer', 'hold-request'] as const);
    await onRequests(client, tools, { op }, action, anyTime(tools));
  },

  delays: async (client, tools) => {
    const { random, sessionTimeoutMs } = tools;
    const delay = random.between(20, sessionTimeoutMs / 4);
    const action = random.pick([{ delayMs: delay }, { delayRequestMs: delay }]);
    await onRequests(client, tools, { times: random.between(3, 30) }, action, anyTime(tools));
  },

  'client stopped briefly': async (client, { random, sessionTimeoutMs, wait }) => {
    client.pause();
    await wait(random.between(50, Math.round(0.6 * sessionTimeoutMs)));
    client.resume();
  },

  'client stopped for longer than its session': async (client, { random, sessionTimeoutMs, wait }) => {
    client.pause();
    await wait(random.between(sessionTimeoutMs, 2 * sessionTimeoutMs));
    client.resume();
  },

  'client killed': async (client, { random, wait }) => {
    await client.kill();
    await wait(random.between(0, 1_000));
    await client.begin();
    client.send('start');
  },

  'session expired by force': (client, { wait }) => client.expireSessions(wait),
};
