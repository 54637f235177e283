import { describe, expect, it } from '@jest/globals';
import { waitFor } from '../support/wait-for.js';
import { OPEN } from './path-arbitraries.js';
import type { Request } from './requests.js';
import { embeddedServer, realServer } from './servers.js';
import { Stage } from './stage.js';

const REAP_MS = 200;
const TTL_MS = 1_000;
const WATCHER = 1;

const node = (path: string): Request => ({ op: 'create', path, data: 'x', acl: OPEN, flags: 0 });
const container = (path: string): Request => ({
  op: 'createContainer',
  path,
  data: null,
  acl: OPEN,
  flags: 4,
});
const mortal = (path: string, ttl: number): Request => {
  return { op: 'createTTL', path, data: 'x', acl: OPEN, flags: 5, ttl };
};
const gone = (path: string): Request => ({ op: 'delete', path, version: -1 });

const LONG_MS = 3_600_000;
const DONE: Request[] = [
  container('~/new'),
  container('~/full'),
  node('~/full/child'),
  container('~/used'),
  node('~/used/child'),
  gone('~/used/child'),
  container('~/outer'),
  container('~/outer/inner'),
  node('~/outer/inner/child'),
  gone('~/outer/inner/child'),
  node('~/plain'),
  node('~/plain/child'),
  gone('~/plain/child'),
  mortal('~/brief', TTL_MS),
  mortal('~/long', LONG_MS),
  mortal('~/parent', TTL_MS),
  node('~/parent/child'),
];
const REMOVED = ['~/used', '~/outer/inner', '~/outer', '~/brief'];
const KEPT = ['~/new', '~/full', '~/full/child', '~/plain', '~/long', '~/parent', '~/parent/child'];

/** What is there at the end, without its zxids, and what was told about it, in no order: passes begin when they begin. */
async function reapedBy(server: { port: number }): Promise<{ nodes: string[]; events: string[] }> {
  const stage = await Stage.open(server.port, 1);
  const ask = async (client: number, request: Request) => {
    const answer = await stage.do({ client, act: 'request', requests: [request] });
    events.push(...answer[WATCHER]!.filter((line) => line.startsWith('event')));
    return answer[client]!.at(-1)!;
  };
  const events: string[] = [];
  await ask(WATCHER, { op: 'addWatch', path: '~', mode: 1 });
  for (const request of DONE) await ask(0, request);
  const look = (path: string) => ask(0, { op: 'exists', path, watch: false });
  for (const path of REMOVED) {
    await waitFor(async () => (await look(path)).includes('NoNode'), { what: `${path} to be removed` });
  }
  const nodes = [];
  for (const path of KEPT) nodes.push(`${path} ${withoutZxids(await look(path))}`);
  await stage.close();
  return { nodes, events: events.toSorted() };
}

function withoutZxids(answer: string): string {
  return answer.slice(answer.indexOf('{')).replace(/"[mcp]zxid":"[^"]+"/g, '');
}

describe('Containers and TTL nodes', () => {
  it('should be removed by the embedded server when ZooKeeper removes them', async () => {
    await using real = await realServer(REAP_MS);
    await using embedded = await embeddedServer(REAP_MS);
    const [expected, found] = await Promise.all([reapedBy(real), reapedBy(embedded)]);
    expect(expected.events.filter((event) => event.includes('NodeDeleted'))).toHaveLength(7);
    expect(found).toEqual(expected);
  }, 60_000);
});
